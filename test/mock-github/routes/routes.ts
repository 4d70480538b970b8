import type { Routes } from "../http/call.ts";
import { assigneeRoutes } from "./assignees.ts";
import { commentRoutes } from "./comments.ts";
import { issueRoutes } from "./issues.ts";
import { labelRoutes } from "./labels.ts";
import { pullRoutes } from "./pulls.ts";
import { reactionRoutes } from "./reactions.ts";
import { reviewRoutes } from "./review-comments.ts";
import { userRoutes } from "./users.ts";

/** What answers each operation, by its published name. */
export const routes: Routes = {
  ...assigneeRoutes,
  ...commentRoutes,
  ...issueRoutes,
  ...labelRoutes,
  ...pullRoutes,
  ...reactionRoutes,
  ...reviewRoutes,
  ...userRoutes,
};
