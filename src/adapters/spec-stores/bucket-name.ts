import { RelayError } from "../../lib/errors.ts";

/** The form of a bucket's name in `spec_store`: `s3://BUCKET`, or `s3://BUCKET/PREFIX`. */
export const BUCKET_NAME = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w-][\w.-]{0,99}){0,9}\/?$/;

/** What is wrong with a name that should be a bucket's; null if nothing is. */
export function problemOfBucket(name: string): string | null {
  if (BUCKET_NAME.test(name)) return null;
  const said = `“${name}” is not the name of a bucket`;
  if (!name.startsWith("s3://")) return `${said}: it begins with s3://, as in s3://my-specs or s3://my-specs/relay`;
  const [bucket = "", ...prefix] = storeName(name).slice("s3://".length).split("/");
  if (!BUCKET_NAME.test(`s3://${bucket}`)) {
    return `${said}: “${bucket}” must have 3 to 63 lower-case letters, digits, dots and hyphens, with a letter or a digit at both ends`;
  }
  return prefix.length > MOST_FOLDERS
    ? `${said}: its prefix has more than ${MOST_FOLDERS} parts`
    : `${said}: each part of its prefix, “${prefix.join("/")}”, must have 1 to 100 letters, digits, dots, hyphens and underscores, and begin with none of the dots`;
}

const MOST_FOLDERS = 10;

/** The name of a store as references hold it: without a slash at its end. */
export function storeName(given: string): string {
  return given.replace(/\/$/, "");
}

/** The parts of a bucket's name; throws `config` for any other name. */
export function bucketPlace(name: string): { bucket: string; prefix: string[] } {
  const problem = problemOfBucket(name);
  if (problem !== null) throw new RelayError("config", problem);
  const [bucket = "", ...prefix] = storeName(name)
    .replace(/^s3:\/\//, "")
    .split("/");
  return { bucket, prefix };
}
