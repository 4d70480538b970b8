/** The place of an action in the life of an issue. */
interface ActionPlace {
  issueId: string;
  cycleNumber: number;
  /** 0 for the planner's first answer, 1 and 2 for its answers to failures. */
  round: number;
  position: number;
}

/** The key under which an action has its effect once and for ever (R-ACT-5): the same place gives the same key. */
export function idempotencyKey({ issueId, cycleNumber, round, position }: ActionPlace): string {
  return `${issueId}.${cycleNumber}.${round}.${position}`;
}
