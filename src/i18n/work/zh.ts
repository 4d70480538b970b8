import type { Catalogue } from "../messages.ts";
import type { en } from "./en.ts";

export const zh: Catalogue<typeof en> = {
  question: "要继续下去，我需要知道：",
  answer: "在这里回答后，工作会从停下的地方继续。",
  opened: "改动在 {{request}}。",
  no_progress: "这件事没有完成：连续两次尝试都没有进展。",
  limit_iterations: "在允许的尝试次数内没有完成。",
  limit_minutes: "在允许的时间内没有完成。",
  limit_money: "在允许的费用内没有完成。",
  failing: "仍然失败的有：",
  nothing_opened: "没有打开合并请求。在这里给出提示，我会再试一次。",
  unusable: "编码代理目前无法工作，所以什么都没有改。需要运维 Relay 的人查看，之后可以重试这个任务。",
  failed: "这个任务的工作中断了，没有打开任何请求。需要运维 Relay 的人查看，之后可以重试这个任务。",
  setup: "无法为这项工作准备好代码仓库：",
  network: "这需要访问 {{hosts}}，但这里不允许。运维 Relay 的人可以在 `work.network` 中放行。",
  request_closed: "{{request}} 未合并就被关闭了，所以对我来说到此为止。重新指派我即可重新开始。",
  still_red: "{{request}} 的检查仍未通过，我已经试过两次，需要有人查看。",
  said_elsewhere: "改动正在评审中，请在那里说明应该怎样修改：{{request}}。",
  conflict: "{{request}} 与 {{base}} 有冲突，我没能把两者合并。双方都改动了这些文件：",
  conflict_left:
    "没有推送任何内容。请把 {{base}} 合并到 {{branch}} 并推送，我会从那里继续。只要这些文件不变，我就不会再试。",
};
