import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Manifest, submitManifest } from "../world/manifests.ts";
import type { World } from "../world/world.ts";

/**
 * The one page of the web site that there is: a browser posts an App's manifest, somebody says yes, and the browser is
 * sent back with a code. `null` where another page is asked for.
 */
export function page(world: World, incoming: IncomingMessage, response: ServerResponse): Promise<void> | null {
  const url = new URL(`http://mock${incoming.url}`);
  const match = /^(?:\/organizations\/([^/]+))?\/settings\/apps\/new$/.exec(url.pathname);
  if (match === null || incoming.method !== "POST") return null;
  return submit(world, incoming, response, match[1] ?? "ann", url.searchParams.get("state"));
}

async function submit(
  world: World,
  incoming: IncomingMessage,
  response: ServerResponse,
  owner: string,
  state: string | null,
): Promise<void> {
  const form = new URLSearchParams(await text(incoming));
  const manifest = Manifest.parse(JSON.parse(form.get("manifest") ?? "null"));
  if (manifest.redirect_url === undefined) {
    response.writeHead(422, { "content-type": "text/plain" }).end("the manifest has no redirect_url");
    return;
  }
  const back = new URL(manifest.redirect_url);
  back.searchParams.set("code", submitManifest(world, owner, manifest));
  if (state !== null) back.searchParams.set("state", state);
  response.writeHead(302, { location: back.href }).end();
}
