import type { TrackerProvider } from "../provider.ts";

export const local: TrackerProvider = {
  name: "local",
  title: "the local tracker",
  requestSign: "#",
  requestWord: "pull request",
  commentAnchor: null,
  filesAt: null,
  linesAt: () => "",
  codeReaders: "read",
  codeOwners: { paths: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"], dialect: "flat" },
};
