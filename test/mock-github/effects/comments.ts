import { showComment, showIssue } from "../present/issue.ts";
import type { Comment, Content, Reaction } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { type Doer, type Place, tell, touch } from "./doer.ts";

export function addComment(place: Place, by: Doer, body: string): Comment {
  const { world, item } = place;
  world.lags.changes(item, item);
  const now = world.now();
  const comment: Comment = {
    id: world.nextId(),
    author: by.login,
    appId: by.appId,
    body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  item.comments.push(comment);
  touch(place);
  tellComment(place, by, "created", comment);
  return comment;
}

export function editComment(place: Place, by: Doer, comment: Comment, body: string): void {
  if (comment.body === body) return;
  place.world.lags.changes(place.item, place.item);
  const changes = { body: { from: comment.body } };
  comment.body = body;
  comment.updatedAt = place.world.now();
  comment.edited = { at: comment.updatedAt, by: by.login };
  touch(place);
  tellComment(place, by, "edited", comment, { changes });
}

export function deleteComment(place: Place, by: Doer, comment: Comment): void {
  const { world, item } = place;
  world.lags.changes(item, item);
  item.comments = item.comments.filter((each) => each !== comment);
  touch(place);
  tellComment(place, by, "deleted", comment);
}

function tellComment(
  place: Place,
  by: Doer,
  action: string,
  comment: Comment,
  more: Record<string, unknown> = {},
): void {
  const { world, repository, item } = place;
  tell(place, by, "issue_comment", action, () => ({
    ...more,
    issue: showIssue(world, repository, item),
    comment: showComment(world, repository, item, comment),
  }));
}

/** The reaction, and whether it is new. It changes no time of what it is on, and no hook tells of it. */
export function react(
  world: World,
  on: { reactions: Reaction[] },
  login: string,
  content: Content,
): { reaction: Reaction; fresh: boolean } {
  const known = on.reactions.find((each) => each.login === login && each.content === content);
  if (known) return { reaction: known, fresh: false };
  const reaction = { id: world.nextId(), login, content, createdAt: world.now() };
  on.reactions.push(reaction);
  return { reaction, fresh: true };
}
