import { expect, test } from "vitest";
import { bucketAccess } from "./bucket-access.ts";

const KEYS = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" };

test("the variables of AWS say how to reach a bucket", () => {
  expect(bucketAccess(KEYS)).toEqual({
    accessKeyId: "id",
    secretAccessKey: "secret",
    sessionToken: null,
    region: "us-east-1",
    endpoint: null,
  });
  const more = {
    AWS_SESSION_TOKEN: "token",
    AWS_DEFAULT_REGION: "eu-west-1",
    AWS_REGION: "eu-central-1",
    AWS_ENDPOINT_URL: "https://all.example.org",
    AWS_ENDPOINT_URL_S3: "http://127.0.0.1:9000/s3",
  };
  expect(bucketAccess({ ...KEYS, ...more })).toMatchObject({
    sessionToken: "token",
    region: "eu-central-1",
    endpoint: "http://127.0.0.1:9000/s3",
  });
});

test.each([
  [{ AWS_ACCESS_KEY_ID: "" }, "AWS_ACCESS_KEY_ID is not set"],
  [{ AWS_SECRET_ACCESS_KEY: undefined }, "AWS_SECRET_ACCESS_KEY is not set"],
  [{ AWS_REGION: "EU Central" }, "AWS_REGION must be"],
  [{ AWS_ENDPOINT_URL: "minio:9000" }, "AWS_ENDPOINT_URL must be"],
  [{ AWS_ENDPOINT_URL_S3: "https://me:secret@minio.example.org" }, "AWS_ENDPOINT_URL_S3 must be"],
])("what is missing or wrong is named without its value (%#)", (wrong, message) => {
  expect(() => bucketAccess({ ...KEYS, ...wrong })).toThrow(
    expect.objectContaining({ code: "config", message: expect.stringContaining(message) }),
  );
});
