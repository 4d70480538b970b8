import { RelayError } from "../../../lib/errors.ts";

/** The lines of an environment file, which knows no quoting. Throws `RelayError` `config` for a value of several lines. */
export function environmentLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => {
      if (/[\r\n\0]/.test(name + value) || name.includes("=")) {
        throw new RelayError(
          "config",
          `the variable ${name} cannot be given to a container: its value has several lines`,
        );
      }
      return `${name}=${value}\n`;
    })
    .join("");
}
