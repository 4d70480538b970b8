/** How a tracker calls a request to merge a branch. It stands apart, since the types of the package reach no catalogue. */
export type RequestWord = "pull request" | "merge request";
