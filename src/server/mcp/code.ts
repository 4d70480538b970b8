import type { Explorer } from "../../code/index/explorer.ts";
import { openRepository } from "../../code/git/repository.ts";
import type { SecretsAt } from "../../app/code/repository-secrets.ts";
import { alsoSecret } from "../../lib/own-secrets.ts";
import { RelayError } from "../../lib/errors.ts";
import type { McpDeps } from "./context.ts";

/**
 * The code in a folder, of which no answer shows what its protected files hold; its index is kept below `home`, or in
 * memory where it cannot be.
 */
export function codeIn(
  folder: string,
  home: string,
  secretsAt: SecretsAt,
): { withCode: McpDeps["withCode"]; close: () => Promise<void> } {
  const explorers = new Map<string, Promise<Explorer>>();
  const open = async (gitDirectory: string) => {
    const { Explorer: Loaded } = await import("../../code/index/explorer.ts");
    return await Loaded.open(gitDirectory, home).catch(async (error: unknown) => {
      if (error instanceof RelayError && error.code === "io") return await Loaded.open(gitDirectory, null);
      throw error;
    });
  };
  return {
    withCode: async (_, work) => {
      const repository = await openRepository(folder);
      const opening = explorers.get(repository.gitDirectory) ?? open(repository.gitDirectory);
      explorers.set(repository.gitDirectory, opening);
      try {
        alsoSecret(await secretsAt(repository));
        return await work({ repository, index: async () => await (await opening).at(repository) });
      } catch (error) {
        await opening.catch(() => explorers.delete(repository.gitDirectory));
        throw error;
      } finally {
        await repository.close();
      }
    },
    close: async () => {
      // The caller got the error; there is nothing to close.
      for (const opening of explorers.values()) (await opening.catch(() => null))?.close();
    },
  };
}
