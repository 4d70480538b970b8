/** What somebody may see of what Relay knows (R-SAFE-4). */
export interface Sight {
  login: string;
  /** Ids of the repositories that they may see; null for all. */
  repositories: readonly string[] | null;
  /**
   * Those of them in which they may triage, and so see confidential issues; elsewhere they see only those that they
   * reported or are assigned to. Null for all.
   */
  triages: readonly string[] | null;
}

/** The sight of who runs Relay. */
export const EVERYTHING: Sight = { login: "", repositories: null, triages: null };
