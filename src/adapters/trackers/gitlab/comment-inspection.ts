import { z } from "zod";
import { RelayError } from "../../../lib/errors.ts";
import { missing } from "../missing.ts";
import type { Call } from "../pages.ts";
import type { Tracker } from "../tracker.ts";
import { nameOf, notePath } from "./calls.ts";

const QUERY = `query($id: NoteID!) {
  note(id: $id) { lastEditedAt lastEditedBy { username } }
}`;

const answer = z.object({
  data: z
    .object({
      note: z
        .object({ lastEditedAt: z.string().nullish(), lastEditedBy: z.object({ username: z.string() }).nullish() })
        .nullish(),
    })
    .nullish(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

/** Who edited a note: only GraphQL has this, and only that of newer servers. GitLab hides no comments. */
export function gitlabInspection(call: Call, graphqlUrl: string): Pick<Tracker, "inspectComment"> {
  return {
    inspectComment: async (address, commentId) => {
      notePath(address, commentId);
      const what = `the editor of comment ${commentId} on ${nameOf(address)}`;
      const variables = { id: `gid://gitlab/Note/${commentId}` };
      const { body } = await call({
        method: "POST",
        path: graphqlUrl,
        body: { query: QUERY, variables },
        kind: "read",
      });
      const { data, success } = answer.safeParse(body);
      // An older server does not know the fields, and a proxy may be in the way: asking again does not help.
      if (!success || data.errors != null) {
        const why = data?.errors?.[0]?.message.replaceAll(/\p{Cc}+/gu, " ").slice(0, 300) ?? "it was not understood";
        throw new RelayError("invalid", `GitLab's GraphQL API did not tell ${what}: ${why}`, { status: 422 });
      }
      const note = data.data?.note;
      if (!note) throw missing(`there is no comment ${commentId} on ${nameOf(address)}`);
      const edit = note.lastEditedAt == null ? null : { by: note.lastEditedBy?.username ?? null };
      return { edit, isMinimized: false };
    },
  };
}
