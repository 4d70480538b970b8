import type { AccessLevel, User } from "../state.ts";

export type Json = Record<string, unknown>;

export function userShape(user: User, origin: string): Json {
  return {
    id: user.id,
    username: user.username,
    public_email: null,
    name: user.name,
    state: user.state,
    locked: false,
    avatar_url: null,
    web_url: `${origin}/${user.username}`,
  };
}

/** Only the single user tells whether it is a bot. */
export function wholeUserShape(user: User, origin: string): Json {
  return { ...userShape(user, origin), created_at: "2026-01-01T00:00:00.000Z", bio: "", bot: user.bot, pronouns: null };
}

/** The own account tells its addresses as well. */
export function ownUserShape(user: User, origin: string): Json {
  const { hostname } = new URL(origin);
  const commit_email = `${user.id}-${user.username}@users.noreply.${hostname}`;
  return { ...wholeUserShape(user, origin), email: `${user.username}@example.org`, commit_email };
}

export function memberShape(user: User, level: AccessLevel, origin: string): Json {
  return {
    ...userShape(user, origin),
    access_level: level,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: null,
    membership_state: "active",
  };
}
