import { type Attempt, headersOf } from "../hooks/attempt.ts";
import type { Hook, Repository } from "../world/entities.ts";
import type { World } from "../world/world.ts";
import { time } from "./ids.ts";
import { repositoryUrl } from "./repository.ts";

/** GitHub shows that there is a secret, never which. */
export function showConfig(hook: Hook) {
  return {
    content_type: "json",
    insecure_ssl: "0",
    ...(hook.secret === "" ? {} : { secret: "********" }),
    url: hook.url,
  };
}

export function showHook(world: World, repository: Repository, hook: Hook) {
  const url = `${repositoryUrl(world, repository)}/hooks/${hook.id}`;
  const last = world.courier.attempts.findLast((each) => each.delivery.hook === hook);
  return {
    type: "Repository",
    id: hook.id,
    name: "web",
    active: hook.active,
    events: hook.events,
    config: showConfig(hook),
    updated_at: time(hook.createdAt),
    created_at: time(hook.createdAt),
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: {
      code: last?.code ?? null,
      status: last === undefined ? "unused" : last.code < 300 ? "active" : "failed",
      message: last?.status ?? null,
    },
  };
}

export function showAttempt(attempt: Attempt) {
  const { delivery } = attempt;
  return {
    id: attempt.id,
    guid: delivery.guid,
    delivered_at: attempt.deliveredAt.toISOString(),
    redelivery: attempt.redelivery,
    duration: attempt.seconds,
    status: attempt.status,
    status_code: attempt.code,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}

export function showFullAttempt(attempt: Attempt) {
  const payload: unknown = JSON.parse(attempt.delivery.text);
  return {
    ...showAttempt(attempt),
    url: attempt.delivery.hook.url,
    request: { headers: headersOf(attempt.delivery), payload },
    response: { headers: {}, payload: attempt.answer },
  };
}
