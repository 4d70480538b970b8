import type { Provider } from "../../domain/issue.ts";
import type { SpecRef } from "../../domain/spec.ts";

/** The parts of a spec's path; a renamed issue keeps the path of its first spec (R-SPEC-9). */
export interface SpecOwner {
  issueId: string;
  provider: Provider;
  externalIssueId: string;
  title: string;
}

export type WriteResult =
  | { kind: "written"; ref: SpecRef }
  /** `previous` has exactly this content; nothing was written (R-SPEC-11). */
  | { kind: "unchanged"; ref: SpecRef }
  /** Another process wrote since `expected` was read. */
  | { kind: "conflict"; current: SpecRef };

/** Where specs are kept (R-SPEC-9). Refuses content over 200 KiB and paths outside of its root (R-SPEC-10). */
export interface SpecStore {
  readonly backend: string;
  /**
   * The text of this version, also after a later one was written: after a crash, nothing may refer to that one. Throws
   * `not_found`, and `invalid` if no version matches the reference's sha256.
   */
  read(ref: SpecRef): Promise<string>;
  /**
   * Stores a version. `previous` is the reference that the new text is based on, or null for the first: its path is
   * kept, and its content moves to `history/`.
   */
  write(owner: SpecOwner, content: string, previous: SpecRef | null): Promise<WriteResult>;
  exists(ref: SpecRef): Promise<boolean>;
  /** Erases a spec with its history (`relay forget`). */
  remove(ref: SpecRef): Promise<void>;
  /** Where a person finds the spec: a path that opens from the current folder, or the store's own name for it. */
  where(ref: SpecRef): string;
  /** This version's address in a browser (R-SPEC-18); null if it has none. */
  address(ref: SpecRef): Promise<string | null>;
}
