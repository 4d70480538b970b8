import { z } from "zod";

/** A row with snake_case columns, parsed as an object with camelCase keys. */
export function camelRow<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(camelKeys, z.object(shape));
}

function camelKeys(row: unknown): unknown {
  if (typeof row !== "object" || row === null) return row;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
