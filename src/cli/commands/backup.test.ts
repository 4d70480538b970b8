import { expect, test } from "vitest";
import { processTerminal } from "../terminal.ts";
import { backup, restore } from "./backup.ts";

test.each([backup, restore])("an address is no file to back up to or to restore from", async (command) => {
  await expect(command("s3://bucket/relay.gz", { json: false, debug: false }, processTerminal())).rejects.toMatchObject(
    {
      code: "usage",
      message: expect.stringContaining("s3://bucket/relay.gz is no file on this machine"),
    },
  );
});
