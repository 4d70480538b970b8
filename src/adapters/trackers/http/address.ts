import { RelayError } from "../../../lib/errors.ts";

/** Forbidden in a path: the URL parser drops or converts them, so the result would differ from what was checked. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u0020\u007f\\#]/;
const DOT_PART = /(?:^|\/|%2f)(?:\.|%2e){1,2}(?:\/|%2f|$)/i;

/**
 * The URL of a call: a path below the API's URL, which may have a path too (`https://host/api/v3`), or a full URL of
 * the same origin. Throws `invalid` if it leads elsewhere.
 */
export function addressOf(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string | number | boolean>> = {},
): URL {
  const address = path.startsWith("/") ? below(baseUrl, path) : whole(baseUrl, path);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address;
}

function below(baseUrl: string, path: string): URL {
  const wanted = path.split("?", 1)[0] ?? "";
  if (UNSAFE.test(path) || DOT_PART.test(wanted)) {
    throw new RelayError("invalid", `${JSON.stringify(path)} is no path of an API; check the names that it is made of`);
  }
  return parsed(`${baseUrl.replace(/\/+$/, "")}${path}`);
}

function whole(baseUrl: string, address: string): URL {
  const base = parsed(baseUrl);
  const url = parsed(address);
  if (url.origin !== base.origin || url.username !== "" || url.password !== "") {
    throw new RelayError(
      "invalid",
      `the tracker names ${url.origin} as the place of a page, and Relay knows it at ${base.origin};` +
        ` set the tracker's address for Relay to the one that the tracker has in its own settings`,
    );
  }
  url.hash = "";
  return url;
}

function parsed(address: string): URL {
  const url = URL.parse(address);
  if (url !== null && (url.protocol === "https:" || url.protocol === "http:")) return url;
  throw new RelayError("invalid", `${JSON.stringify(address.slice(0, 200))} is no address of a web server`);
}
