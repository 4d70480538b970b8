import type { Routes } from "../http/call.ts";
import { appRoutes } from "./app.ts";
import { assigneeRoutes } from "./assignees.ts";
import { checkRoutes } from "./checks.ts";
import { commentRoutes } from "./comments.ts";
import { hookRoutes } from "./hooks.ts";
import { issueRoutes } from "./issues.ts";
import { labelRoutes } from "./labels.ts";
import { pullRoutes } from "./pulls.ts";
import { reactionRoutes } from "./reactions.ts";
import { repositoryRoutes } from "./repositories.ts";
import { reviewRoutes } from "./review-comments.ts";
import { userRoutes } from "./users.ts";

/** What answers each operation, by its published name. */
export const routes: Routes = {
  ...appRoutes,
  ...assigneeRoutes,
  ...checkRoutes,
  ...commentRoutes,
  ...hookRoutes,
  ...issueRoutes,
  ...labelRoutes,
  ...pullRoutes,
  ...reactionRoutes,
  ...repositoryRoutes,
  ...reviewRoutes,
  ...userRoutes,
};
