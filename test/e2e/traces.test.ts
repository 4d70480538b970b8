import { expect, test } from "vitest";
import { type SeenSpan, attributesOf, startTraceSink, wayTo } from "../support/trace-sink.ts";
import { serveOnLoopback } from "../support/loopback.ts";
import { newDesk, relay, specArgs, startRelay } from "./cli-harness.ts";
import { githubPlace } from "./hosted-github.ts";
import { PATIENT, agree, openServing } from "./serving-fixture.ts";

test("a story over three processes is told in traces: from a webhook to the comment, and from the yes to the request (R-OBS-3)", async () => {
  const sink = await startTraceSink();
  const place = await githubPlace();
  const serving = await openServing(place);
  Object.assign(serving.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  });
  const processes = [];
  for (const roles of ["web", "planner", "worker"]) processes.push(await serving.start(roles));
  const issue = await agree(serving);
  await expect.poll(() => place.issue(issue).labels, { ...PATIENT, timeout: 120_000 }).toContain("relay:review");
  for (const { signal } of processes) expect(await signal("SIGTERM")).toBe(0);

  const { spans } = sink;
  const named = (name: string) => spans.filter((span) => span.name === name);
  const ways = (name: string) => named(name).map((span) => wayTo(span, spans).join(" > "));
  // A wake-up that comes before the tracker shows what a delivery told of sends itself again.
  const woken = "POST /webhooks/github > store delivery > job event > process delivery( > job wake)+";
  const post = "POST /repos/\\{}/\\{}/issues/\\{}/comments";
  expect(ways("POST /repos/{}/{}/issues/{}/comments")).toContainEqual(
    expect.stringMatching(new RegExp(`^${woken} > cycle > action post_comment > post comment > ${post}$`)),
  );
  const run = (rest: string) => expect.stringMatching(new RegExp(`^${woken} > transition > job task > run > ${rest}$`));
  expect(ways("open pull request")).toEqual([run("open pull request")]);
  expect(ways("push branch")).toEqual([run("push branch")]);
  expect(ways("invoke_agent command")).toEqual([run("iteration > invoke_agent command")]);
  expect(ways("run test")).toContainEqual(run("clean checkout > run test"));
  expect(ways("POST /repos/{}/{}/pulls")).toEqual([run("open pull request > POST /repos/\\{}/\\{}/pulls")]);
  // The web, the planner and the worker: three processes in one trace.
  const [opened] = named("open pull request");
  const story = spans.filter(({ traceId }) => traceId === opened?.traceId);
  expect(new Set(story.map(({ resource }) => resource["process.pid"])).size).toBe(3);
  const first = (name: string): SeenSpan | undefined => story.find((span) => span.name === name);
  expect(attributesOf(first("process delivery") ?? fail())).toMatchObject({
    "relay.issue": `github/${place.project}#${issue}`,
    "relay.event.kind": "commented",
    "relay.decision": "refresh",
  });
  expect(attributesOf(first("run") ?? fail())).toMatchObject({ "relay.run.reason": "plan", "relay.outcome": "done" });

  expect(spans.filter((span) => wayTo(span, spans)[0] === "?").map(({ name }) => name)).toEqual([]);
  expect(spans[0]?.resource).toMatchObject({ "service.name": "relay", "deployment.environment.name": "test" });
  expect(sink.headers[0]).toMatchObject({ "x-tenant": "acme", path: "/v1/traces" });
  // Nothing of what people, the repository or the agent said, nor a secret.
  const all = sink.bodies.join("\n");
  for (const words of [/october/i, /go ahead/i, /period\.js/, /Mended/, /node --test/, /ruthg|mia\b/]) {
    expect(all).not.toMatch(words);
  }
  for (const secret of Object.values(place.env).filter((value) => value.length >= 8 && !value.startsWith("http"))) {
    expect(all).not.toContain(secret);
  }
  const lines = processes.flatMap(({ said }) => said.err.split("\n")).filter((line) => line.includes('"run begins"'));
  expect(lines).toEqual([expect.stringContaining(`"trace_id":"${opened?.traceId}"`)]);
});

function fail(): never {
  throw new Error("there is no such span");
}

/** Has a program print what it loads of OpenTelemetry's SDK; prom-client brings the mere interface. */
const TELLING = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ load: (url, context, next) => {
    if (/@opentelemetry.(sdk|otlp|exporter|resources)/.test(url)) process.stderr.write("LOADED " + url + "\\n");
    return next(url, context);
  } });
`)}`;

test("a command is told in one trace; without a collector the SDK is not loaded, and a hanging one stops nothing", async () => {
  const desk = await newDesk();
  const without = await relay(desk, specArgs(desk), { env: { NODE_OPTIONS: TELLING } });
  expect(without).toMatchObject({ code: 0, err: expect.not.stringContaining("LOADED") });
  const serving = startRelay(desk, ["serve", "--port", "0", "--json"], { env: { NODE_OPTIONS: TELLING } });
  await expect.poll(() => serving.said.out, PATIENT).toContain("\n");
  serving.child.kill("SIGTERM");
  expect(await serving.ended).toMatchObject({ code: 0, err: expect.not.stringContaining("LOADED") });

  const sink = await startTraceSink();
  const other = await newDesk();
  const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${sink.url}/v1/traces`, OTEL_SERVICE_NAME: "one-shot" };
  const traced = await relay(other, specArgs(other), { env: { ...env, NODE_OPTIONS: TELLING } });
  expect(traced).toMatchObject({ code: 0, err: expect.stringContaining("sdk-trace") });
  const { spans } = sink;
  expect(spans.map((span) => wayTo(span, spans)[0])).toEqual(spans.map(() => "relay spec"));
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["cycle", "plan actions", "action ready_for_spec_generation", "action post_comment"]),
  );
  expect(new Set(spans.map(({ resource }) => resource["service.name"]))).toEqual(new Set(["one-shot"]));

  const hanging = await serveOnLoopback(() => {});
  const third = await newDesk();
  const slow = { OTEL_EXPORTER_OTLP_ENDPOINT: hanging, OTEL_EXPORTER_OTLP_TIMEOUT: "300" };
  expect(await relay(third, specArgs(third), { env: slow })).toMatchObject({ code: 0, err: without.err });
});
