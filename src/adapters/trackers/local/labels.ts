import type { IssueAddress } from "../../../domain/issue.ts";
import { keyOf, type Sql } from "./rows.ts";
import { checkName } from "../texts.ts";

const COLOR = "5319e7";

/** Replaces the labels of an issue; creates those that the project lacks. */
export async function setLabels(tx: Sql, address: IssueAddress, labels: string[], at: Date): Promise<void> {
  await makeLabels(tx, address.externalProjectId, labels);
  await tx.execute(`update local_issues set labels = $3, updated_at = $4 where project = $1 and number = $2`, [
    ...keyOf(address),
    JSON.stringify([...new Set(labels)]),
    at,
  ]);
}

export async function makeLabels(tx: Sql, project: string, labels: string[]): Promise<void> {
  for (const name of labels) {
    checkName(name, "a label");
    await tx.execute(
      `insert into local_labels (project, name, color, description) values ($1, $2, $3, '') on conflict do nothing`,
      [project, name, COLOR],
    );
  }
}
