/** What a Cargo.toml says of the crate beside it; read by its lines, as only three of them matter. */
export interface CargoManifest {
  /** As code names it: with underscores. */
  name: string;
  /** The library's root as written, or `null` for the usual one. */
  library: string | null;
}

/** `null` for a manifest of a workspace alone. */
export function readCargo(text: string): CargoManifest | null {
  let section = "";
  let name: string | null = null;
  let renamed: string | null = null;
  let library: string | null = null;
  for (const line of text.split("\n")) {
    const header = /^\s{0,20}\[\s{0,9}([\w.-]{1,100})\s{0,9}\]/.exec(line);
    if (header?.[1] !== undefined) section = header[1];
    const field = /^\s{0,20}(name|path)\s{0,99}=\s{0,99}["']([^"'\n]{1,200})["']/.exec(line);
    if (!field) continue;
    const [, key, value = ""] = field;
    if (section === "package" && key === "name") name ??= value;
    else if (section === "lib" && key === "name") renamed ??= value;
    else if (section === "lib" && key === "path") library ??= value;
  }
  return name === null ? null : { name: (renamed ?? name).replaceAll("-", "_"), library };
}
