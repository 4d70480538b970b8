import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { STATE_LABELS, labelsByState } from "../../src/domain/state-labels.ts";
import type { Db } from "../../src/storage/db.ts";
import { type RepositoryConnection, connectRepository } from "../../src/storage/repositories.ts";
import { aPlan, aTriage } from "../cases/plan-comments.ts";

export interface ManyIssues {
  /** Repositories that the issues are spread over; they are named `acme/many-1`, `acme/many-2`, … */
  repositories: number;
  /** Numbered from 1 over all repositories: issue 7 is in the repository `acme/many-${1 + (7 % repositories)}`. */
  issues: number;
  /** Comments, beside the description. */
  messagesPerIssue: number;
  /** Where the repositories are; by default, the local tracker, which needs not know them. */
  integration?: Pick<RepositoryConnection, "workspace" | "provider" | "baseUrl" | "botUsername">;
}

const LOCAL = { workspace: "default", provider: "local", baseUrl: "local", botUsername: "relay" } as const;
const now = { clock: systemClock, ids: snowflakes() };

/** Ids of rows are the issue's number and three digits: far below those that Relay makes. */
const LARGEST_ID = 10 ** 15;

/**
 * Fills all tables, by one statement each, with what that many issues leave behind: per issue 3 deliveries, 3 cycles,
 * 6 actions, 20 entries in the audit log, 6 model calls, 2 findings, 3 gaps; a spec, a plan, a task with a run, its log
 * and its request for those that got so far. 90 of 100 are done or closed, 5 wait for people, 2 are in review, 3 failed,
 * are stuck or paused. They were changed in the last 60 days, the one with the highest number last. Called again, it adds
 * further issues.
 */
export async function addManyIssues(
  db: Db,
  { repositories, issues, messagesPerIssue, integration = LOCAL }: ManyIssues,
): Promise<void> {
  const address = { ...integration, externalProjectId: "acme/many-1", cloneSource: null };
  const { integrationId } = await connectRepository(db, address, now);
  await db.execute(REPOSITORIES, [integrationId, repositories]);
  const { before } = await db.one(
    z.object({ before: z.number() }),
    `select coalesce(max(id) / 1000, 0)::integer as before from issues where id < $1`,
    [LARGEST_ID],
  );
  const [first, last] = [before + 1, before + issues];
  const fill = async (sql: string, ...parameters: unknown[]) =>
    await db.execute(`with filled as (${FILLED}) ${sql}`, [first, last, ...parameters]);
  await db.execute(ISSUES, [first, last, repositories, integrationId, JSON.stringify(labelsByState(STATE_LABELS))]);
  await fill(MESSAGES, messagesPerIssue);
  await fill(THREAD_FETCHES, messagesPerIssue);
  for (const sql of [DELIVERIES, CYCLES, ACTIONS, AUDIT, MODEL_CALLS, FINDINGS, GAPS, POSTS, SPECS]) await fill(sql);
  await fill(PLANS, JSON.stringify(aTriage()), JSON.stringify(aPlan()));
  for (const sql of [TASKS, RUNS, RUN_LOG, TASK_REQUESTS, CHANGE_REQUESTS]) await fill(sql);
  // Plans of queries are made from figures that autovacuum would collect later.
  await db.execute("analyze", []);
}

/** SQL: the issues that this call adds, with their numbers and addresses. */
const FILLED = `
  select s.id, (s.id / 1000)::integer as n, s.repository_id, s.external_issue_id, s.state, s.spec, s.updated_at as at,
    r.external_project_id as project, i.provider, i.bot_username as bot
  from issues s join repositories r on r.id = s.repository_id join integrations i on i.id = r.integration_id
  where s.id between $1::bigint * 1000 and $2::bigint * 1000`;

/** SQL: issues that people approved a plan of. */
const APPROVED = `state in ('in_review', 'done', 'stuck', 'failed')`;

const REPOSITORIES = `
  insert into repositories (id, integration_id, external_project_id, stable_id, created_at)
  select n, $1::bigint, 'acme/many-' || n, 'many-' || n, now() from generate_series(2, $2::integer) n
  on conflict do nothing`;

const ISSUES = `
  insert into issues (id, repository_id, external_issue_id, title, body, labels, assignees, reporter, url, state,
    resumes_as, spec, last_gap_number, last_finding_number, assigned_at, plan_posted_at, opened_at, updated_at,
    synced_state, synced_labels)
  select n * 1000::bigint, r.id, n::text, 'The total of order ' || n || ' is wrong', repeat('The sum of its lines differs. ', 10),
    $5::jsonb -> state, '["relay"]', 'ann', 'https://tracker.example/' || r.external_project_id || '/issues/' || n, state,
    case when state in ('paused', 'closed') then 'clarifying' end,
    case when state <> 'clarifying' then jsonb_build_object('version', 1, 'backend', 'local', 'path', 'issue_' || n * 1000::bigint || '_local_' || n || '_total/spec.md',
      'updated_at', '2025-12-02T10:00:45.000Z', 'sha256', repeat(md5(n::text), 2), 'format', 'markdown') end,
    3, 2, at - interval '3 days', at - interval '1 day', at - interval '3 days', at, state, $5::jsonb -> state
  from (
    select n, 'acme/many-' || (1 + n % $3::integer) as name,
      now() - interval '60 days' * ($2::integer - n) / ($2::integer - $1::integer + 1) as at,
      -- 37 has no divisor in common with 100: any 100 in a row have each state as often as they should
      case when n * 37::bigint % 100 < 80 then 'done' when n * 37::bigint % 100 < 90 then 'closed'
        when n * 37::bigint % 100 < 92 then 'clarifying' when n * 37::bigint % 100 < 93 then 'awaiting_proceed'
        when n * 37::bigint % 100 < 95 then 'waiting_confirmation' when n * 37::bigint % 100 < 97 then 'in_review'
        when n * 37::bigint % 100 < 98 then 'stuck' when n * 37::bigint % 100 < 99 then 'failed' else 'paused' end as state
    from generate_series($1::integer, $2::integer) n
  ) numbered join repositories r on r.integration_id = $4::bigint and r.external_project_id = name`;

const MESSAGES = `
  insert into messages (issue_id, seq, external_id, author, role, is_bot, posted_at, content, seen, read_in_cycle)
  select id, k, case k when 0 then 'description' else 'm' || n || '-' || k end,
    case k % 3 when 0 then 'ann' when 2 then bot else 'bob' end, case k % 3 when 0 then 'reporter' when 2 then 'self' else 'other' end, k % 3 = 2,
    at - ($3::integer - k) * interval '1 hour', repeat('It is the rounding of each line. ', 8), true, null
  from filled, generate_series(0, $3::integer) k`;

const THREAD_FETCHES = `
  insert into thread_fetches (issue_id, full_fetch_at, refreshes, hidden_comments, comment_count, issue_state,
    issue_updated_at, looked_at)
  select id, at, 1, 0, $3::integer, case when state in ('done', 'closed') then 'closed' else 'open' end, at, at
  from filled`;

/** In the last 20 days: older ones are deleted. */
const DELIVERIES = `
  insert into deliveries (id, provider, delivery_id, event, received_at, processed_at, decision)
  select id + k, provider, 'many-' || n || '-' || k,
    jsonb_build_object('provider', provider, 'externalProjectId', project, 'externalIssueId', external_issue_id,
      'kind', 'commented', 'actor', 'ann', 'actorIsBot', false, 'at', to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'assignee', null, 'commentId', 'm' || n || '-' || k, 'threadId', null, 'text', 'It is the rounding.',
      'branch', null, 'outcome', null),
    now() - (now() - at) / 3, now() - (now() - at) / 3, 'refresh'
  from filled, generate_series(0, 2) k`;

const CYCLES = `
  insert into cycles (id, issue_id, number, planner, reasoning, status, started_at, ended_at)
  select id + k, id, k, 'offline', 'The rules found what is open.', 'done', at - (3 - k) * interval '1 hour',
    at - (3 - k) * interval '1 hour'
  from filled, generate_series(1, 3) k`;

const ACTIONS = `
  insert into actions (id, cycle_id, issue_id, round, position, action, idempotency_key, status, attempts, outcome,
    updated_at)
  select id + k, id + 1 + k / 2, id, 0, k % 2,
    jsonb_build_object('type', 'post_comment', 'data', jsonb_build_object('content', repeat('Which total is meant? ', 20))),
    'many:' || n || ':' || k, 'done', 1, 'null', at
  from filled, generate_series(0, 5) k`;

const AUDIT = `
  insert into audit_log (id, issue_id, at, actor, what, why, before, after)
  select id + k, id, at - (19 - k) * interval '1 hour', 'relay', case k when 19 then 'state.changed' else 'event.decided' end,
    'a comment of @ann', to_jsonb('clarifying'::text), to_jsonb(state)
  from filled, generate_series(0, 19) k`;

const MODEL_CALLS = `
  insert into llm_evals (id, issue_id, cycle_id, stage, model, input, output, latency_ms, input_tokens, cached_tokens,
    output_tokens, cost_usd, created_at, kind, repository_id, role, provider, step, attempt, prompt_hash, status,
    finish_reason)
  select id + k, id, id + 1 + k / 2, 'planner', 'openai/m', to_jsonb(repeat('What is open in this issue? ', 10)),
    to_jsonb(repeat('The rounding. ', 10)), 900, 2000, 0, 100, 0.01, at, 'call', repository_id, 'planner', 'openai', 1, 1,
    md5(n::text), 'ok', 'stop'
  from filled, generate_series(0, 5) k`;

const FINDINGS = `
  insert into findings (id, issue_id, number, synthesis, sources, commit, created_at)
  select id + k, id, k, 'Totals are rounded by line.',
    '[{"location": "src/total.ts:12-20", "snippet": "const total = lines.map(round).reduce(add);"}]', md5(n::text), at
  from filled, generate_series(1, 2) k`;

const GAPS = `
  insert into gaps (id, issue_id, number, question, severity, respondent, status, asked_at, closed_at, closed_reason,
    closed_note, created_at)
  select id + k, id, k, 'Is the total rounded once, or per line?', 'high', 'reporter',
    case when state = 'clarifying' and k = 3 then 'open' else 'closed' end, at,
    case when state = 'clarifying' and k = 3 then null else at end,
    case when state = 'clarifying' and k = 3 then null else 'answered' end,
    case when state = 'clarifying' and k = 3 then null else 'Once.' end, at
  from filled, generate_series(1, 3) k`;

const POSTS = `
  insert into posts (issue_id, key, comment_id, posted_at, shown)
  select id, case k when 0 then 'status' else 'action:many:' || n || ':' || k end, 'm' || n || '-' || k, at,
    case k when 0 then md5(n::text) end
  from filled, generate_series(0, 2) k`;

const SPECS = `
  insert into specs (id, issue_id, version, ref, complexity, complexity_reason, validation_status, status, summary, changelog,
    metadata, commit, created_at, content, checked_commit)
  select id, id, 1, spec, 'L1', 'one file', 'valid', 'draft', '["Totals are rounded once."]', '', '{}', md5(n::text), at,
    repeat('The total SHALL be rounded once. ', 20), md5(n::text)
  from filled where spec is not null`;

const PLANS = `
  insert into plans (id, issue_id, version, sha256, basis_sha256, triage, plan, status, created_at, comment_id, posted_at,
    approved_by, confirmed_at, confirmed_with)
  select id, id, 1, repeat(md5(n::text), 2), repeat(md5(n::text), 2), $3::jsonb, $4::jsonb,
    case when ${APPROVED} then 'confirmed' else 'posted' end, at, 'm' || n || '-2', at,
    case when ${APPROVED} then 'ann' end, case when ${APPROVED} then at end, case when ${APPROVED} then 'write' end
  from filled where ${APPROVED} or state = 'waiting_confirmation'`;

const TASKS = `
  insert into tasks (id, issue_id, plan_id, status, approved_by, enqueued_at, updated_at, mode)
  select id, id, id, case state when 'stuck' then 'stuck' when 'failed' then 'failed' else 'done' end, 'ann', at, at,
    'implement'
  from filled where ${APPROVED}`;

const RUNS = `
  insert into runs (id, task_id, issue_id, reason, status, agent, branch, base, head, iterations, usd, started_at, ended_at)
  select id, id, id, 'plan', case state when 'stuck' then 'stuck' when 'failed' then 'failed' else 'done' end, 'script',
    'fix/' || n || '-total', md5(n::text), md5(n::text), 1, 0.1, at, at
  from filled where ${APPROVED}`;

const RUN_LOG = `
  insert into run_log (run_id, seq, at, iteration, kind, text)
  select id, k, at, 1, 'step', repeat('npm test ', 10) from filled, generate_series(1, 10) k where ${APPROVED}`;

const TASK_REQUESTS = `
  insert into task_requests (task_id, issue_id, external_project_id, number, branch, base, url, state, updated_at)
  select id, id, project, 1000000 + n, 'fix/' || n || '-total', 'main', null,
    case state when 'done' then 'merged' else 'open' end, at
  from filled where state in ('in_review', 'done')`;

const CHANGE_REQUESTS = `
  insert into change_requests (task_id, external_id, author, content, created_at, run_id, answered)
  select id, 'r' || n, 'bob', 'Add a test, please.', at, id, true from filled where state in ('in_review', 'done')`;
