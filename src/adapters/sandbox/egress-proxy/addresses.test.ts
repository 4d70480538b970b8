import { expect, test } from "vitest";
import { isPublicAddress } from "./addresses.ts";

test("addresses of the internet are open", () => {
  const open = ["1.1.1.1", "93.184.216.34", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::8a"];
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("this machine, its network, the metadata of clouds, and whatever stands for them are closed", () => {
  const closed = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.100.100.200",
    "168.63.129.16",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "localhost",
    "",
  ];
  expect(closed.filter(isPublicAddress)).toEqual([]);
});
