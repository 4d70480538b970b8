import { z } from "zod";
import type { Answer } from "../answer.ts";
import { type State, type User, levelOf } from "../state.ts";

const Body = z.object({ query: z.string(), variables: z.object({ id: z.string() }) });

/** Of GraphQL the one question that Relay asks. Whatever is wrong with it is told with status 200. */
export function graphql({ projects, lackingFields }: State, user: User, body: unknown): Answer {
  const { query, variables } = Body.parse(body);
  const asked = /^query\(\$id: NoteID!\) \{\s*note\(id: \$id\) \{ (?<fields>.*) \}\s*\}$/.exec(query)?.groups?.[
    "fields"
  ];
  if (asked === undefined) return errors("The mock knows query($id: NoteID!) { note(id: $id) { … } } only.");
  const id = /^gid:\/\/gitlab\/Note\/(\d+)$/.exec(variables.id)?.[1];
  if (id === undefined) return errors(`"${variables.id}" is not a valid GitLab ID.`);
  const nodes = asked.match(/\w+(?: \{[^}]*\})?/g) ?? [];
  const unknown = nodes.find((node) => !(node in FIELDS) || lackingFields.includes(node.split(" ")[0] ?? ""));
  if (unknown !== undefined) return errors(`Field '${unknown.split(" ")[0]}' doesn't exist on type 'Note'`);
  const found = projects
    .filter((project) => project.visibility === "public" || levelOf(project, user) >= 10)
    .flatMap((project) => [...project.issues, ...project.mergeRequests].flatMap(({ notes }) => notes))
    .find((note) => String(note.id) === id);
  if (found === undefined) return { status: 200, json: { data: { note: null } } };
  const { at, by } = found.edited ?? { at: null, by: null };
  const told = {
    lastEditedAt: at?.toISOString() ?? null,
    lastEditedBy: by === null ? null : { username: by.username },
  };
  return { status: 200, json: { data: { note: told } } };
}

const FIELDS = { lastEditedAt: true, "lastEditedBy { username }": true };

function errors(message: string): Answer {
  return { status: 200, json: { errors: [{ message, locations: [{ line: 1, column: 1 }], path: ["query"] }] } };
}
