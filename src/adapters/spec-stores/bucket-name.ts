import { RelayError } from "../../lib/errors.ts";

/** The form of a bucket's name in `spec_store`: `s3://BUCKET`, or `s3://BUCKET/PREFIX`. */
export const BUCKET_NAME = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w-][\w.-]{0,99}){0,9}\/?$/;

/** The name of a store as references hold it: without a slash at its end. */
export function storeName(given: string): string {
  return given.replace(/\/$/, "");
}

/** The parts of a bucket's name; throws `config` for any other name. */
export function bucketPlace(name: string): { bucket: string; prefix: string[] } {
  const [bucket = "", ...prefix] = storeName(name)
    .replace(/^s3:\/\//, "")
    .split("/");
  if (BUCKET_NAME.test(name)) return { bucket, prefix };
  throw new RelayError("config", `“${name}” is not the name of a bucket; give s3://BUCKET or s3://BUCKET/PREFIX`);
}
