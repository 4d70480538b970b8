export function proceedSignal(text: string): { proceed: true; excerpt: string } | { proceed: false; reason: string } {
  const m = /[^.\n]*go ahead[^.\n]*/i.exec(text);
  return m ? { proceed: true, excerpt: m[0].trim() } : { proceed: false, reason: "no" };
}
export function thanksOnly(text: string): boolean {
  return /^thanks/i.test(text.trim()) && text.length < 20;
}
