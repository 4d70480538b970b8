import type { Provider } from "../../domain/issue.ts";
import type { SpecRef } from "../../domain/spec.ts";

/** What the path of a spec is made of; a renamed issue keeps the path of its first spec (R-SPEC-9). */
export interface SpecOwner {
  issueId: string;
  provider: Provider;
  externalIssueId: string;
  title: string;
}

export type WriteResult =
  | { kind: "written"; ref: SpecRef }
  /** `previous` is exactly this content already; nothing was touched (R-SPEC-11). */
  | { kind: "unchanged"; ref: SpecRef }
  /** Somebody else wrote since `expected` was read. */
  | { kind: "conflict"; current: SpecRef };

/** Where specs are kept (R-SPEC-9). Refuses content over 200 KiB and paths outside of its root (R-SPEC-10). */
export interface SpecStore {
  readonly backend: string;
  /**
   * The text of this version, also once a later one was written: after a crash, that one may be the one nobody knows of.
   * Throws `not_found`, and `invalid` where no version matches the reference's sha256.
   */
  read(ref: SpecRef): Promise<string>;
  /**
   * Stores a version. `previous` is the reference that the new text was made from, or null for a first one:
   * its path is kept, its content moves to `history/`.
   */
  write(owner: SpecOwner, content: string, previous: SpecRef | null): Promise<WriteResult>;
  exists(ref: SpecRef): Promise<boolean>;
  /** Erases a spec with its history (`relay forget`). */
  remove(ref: SpecRef): Promise<void>;
}
