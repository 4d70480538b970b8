import type { RelayError } from "../../lib/errors.ts";

/** `open` files can be read; the others are listed and never opened. */
export type Standing = "open" | "protected" | "link" | "submodule";

/** Why a file is not opened, for whoever asked; `null` for an open one. */
export function cannotOpen(standing: Standing): string | null {
  switch (standing) {
    case "open":
      return null;
    case "protected":
      return "may hold credentials and is never shown; look for the code that reads it instead";
    case "link":
      return "is a symbolic link, which is never followed; look for what it means with find_files";
    case "submodule":
      return "is a submodule, whose content is in another repository";
    default:
      return standing satisfies never;
  }
}

/** Why reading a file failed, as far as that is the file's own doing; `null` for any other failure. */
export function unreadable(error: RelayError): string | null {
  switch (error.code) {
    case "invalid":
      return "is a binary file";
    case "too_large":
      return "is too large to be read whole; search_text finds lines in it";
    case "not_found":
      return "is not held by this clone";
    case "forbidden":
      return "cannot be opened";
    default:
      return null;
  }
}
