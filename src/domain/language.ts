export function detectLanguage(text: string): string {
  return /[а-яё]/i.test(text) ? "ru" : /\b(und|der|die|nicht)\b/.test(text) ? "de" : "en";
}
