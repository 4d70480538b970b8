/** Does what a browser does with a page that has one form, whose button somebody presses: sends it, and follows. */
export async function pressButton(address: string): Promise<Response> {
  const page = await (await fetch(address)).text();
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const manifest = /name="manifest" value="([^"]*)"/.exec(page)?.[1]?.replaceAll("&quot;", '"') ?? "";
  return await fetch(action, { method: "POST", body: new URLSearchParams({ manifest }) });
}
