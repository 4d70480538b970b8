import type { BucketAccess } from "../adapters/spec-stores/bucket.ts";
import { RelayError } from "../lib/errors.ts";
import { type Environment, readSecret } from "../lib/secret-variable.ts";

/**
 * How to reach the bucket of `spec_store`, by the variables that all programs for S3 read (R-SPEC-9). Throws `config`
 * with the name of a missing or unusable one.
 */
export function bucketAccess(env: Environment): BucketAccess {
  const endpointName = env["AWS_ENDPOINT_URL_S3"] ? "AWS_ENDPOINT_URL_S3" : "AWS_ENDPOINT_URL";
  return {
    accessKeyId: required("AWS_ACCESS_KEY_ID", env),
    secretAccessKey: required("AWS_SECRET_ACCESS_KEY", env),
    sessionToken: readSecret("AWS_SESSION_TOKEN", env),
    region: region(env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1"),
    endpoint: endpoint(endpointName, env[endpointName] ?? ""),
  };
}

function required(name: string, env: Environment): string {
  const value = readSecret(name, env);
  if (value !== null) return value;
  throw new RelayError("config", `${name} is not set, and spec_store is a bucket; set the bucket's keys`);
}

function region(name: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(name)) return name;
  throw new RelayError("config", `AWS_REGION must be a region like eu-central-1, not “${name}”`);
}

function endpoint(name: string, text: string): string | null {
  if (text === "") return null;
  const url = URL.parse(text);
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === "";
  if (isPlain && /^https?:$/.test(url.protocol)) return url.href;
  throw new RelayError("config", `${name} must be an address like https://s3.example.org`);
}
