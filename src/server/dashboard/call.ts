import { html } from "hono/html";
import type { Issue } from "../../domain/issue.ts";
import type { WholeCall } from "../../storage/model-calls.ts";
import { type Markup, ago, dollars, spanText } from "./document.ts";
import { pathOf } from "./paths.ts";

/** One model call: what it was asked, and what it said. */
export function callPage(call: WholeCall, issue: Issue | null, now: Date): Markup {
  const { usage } = call;
  return html`<h1>${call.model}</h1>
    <p class="facts">
      <span>${call.stage.replaceAll("_", " ")}</span>
      <span>${call.status ?? "unknown"}</span>
      <span>${spanText(call.ms)}</span>
      <span>${usage.input} tokens in, ${usage.cachedInput} of them cached, ${usage.output} out</span>
      <span>${call.costUsd === null ? "no known price" : dollars(call.costUsd)}</span>
      <span>${ago(call.at, now)}</span>
      ${issue === null ? "" : html`<span><a href="${pathOf(issue)}">#${issue.externalIssueId} ${issue.title}</a></span>`}
    </p>
    <h2>Prompt</h2>
    ${contentOf(call.input)}
    <h2>Answer</h2>
    ${contentOf(call.output)}`;
}

function contentOf(value: unknown): Markup {
  if (value === null || value === undefined) return html`<p class="empty">Its text is not kept any more.</p>`;
  return html`<pre class="content" tabindex="0">
${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>`;
}
