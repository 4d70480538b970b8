/** What checks say is kept with the words of people, under ids that no comment has. */
export const CHECK_PREFIX = "check:";
