import { once } from "node:events";
import { Duplex } from "node:stream";
import { type TLSSocket, type TlsOptions, connect, createServer } from "node:tls";
import { onTestFinished } from "vitest";

/** Of the tests alone: for `*.example.com`, signed by itself. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDNaqFWeBIaWkb/c7
PT1Y2dbAZno7fnFVOkk5y0IALo2hRANCAATlhwGbcaOESV82Q5nCpUxIt8Y14oTy
5g61hHYCm+wWUKBykOiKIqcRT2MyAQAsnq8OFFrjSxGtE8aoKgGdMrdh
-----END PRIVATE KEY-----
`;
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUKgAwIBAgIUDO1tw4woq//G9AXP/Jm/Oreu1Q8wCgYIKoZIzj0EAwIw
EDEOMAwGA1UEAwwFdGVzdHMwIBcNMjYxMTIzMDc0NjA4WhgPMjEyNjEwMzAwNzQ2
MDhaMBAxDjAMBgNVBAMMBXRlc3RzMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
5YcBm3GjhElfNkOZwqVMSLfGNeKE8uYOtYR2ApvsFlCgcpDoiiKnEU9jMgEALJ6v
DhRa40sRrRPGqCoBnTK3YaN4MHYwHQYDVR0OBBYEFNDaLVl5ZLVlsZHJCttqZfZX
SqxqMB8GA1UdIwQYMBaAFNDaLVl5ZLVlsZHJCttqZfZXSqxqMA8GA1UdEwEB/wQF
MAMBAf8wIwYDVR0RBBwwGoINKi5leGFtcGxlLmNvbYIJbG9jYWxob3N0MAoGCCqG
SM49BAMCA0cAMEQCIGOJNbfEFHV2cfW7eYggMq7z7KS3PmpbSM3hRSQF7eewAiBI
wSLoH72uv1EKXcwH40Orv/f4RpjytA3lNo0KXkLPeg==
-----END CERTIFICATE-----
`;

/** A TLS server on a port of its own until the test is over, and the host names that were asked of it. */
export async function serveTls(
  answer: (socket: TLSSocket) => void,
  options: TlsOptions = {},
): Promise<{ port: number; asked: unknown[] }> {
  const asked: unknown[] = [];
  const server = createServer({ key: KEY, cert: CERTIFICATE, ...options }, (socket) => {
    asked.push(socket.servername);
    socket.on("error", () => {});
    answer(socket);
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, asked };
}

/** The first bytes that a real TLS client sends to a host of that name; to none for an empty one. */
export async function clientHello(servername: string): Promise<Buffer> {
  return await new Promise((told) => {
    const socket = new Duplex({
      read: () => {},
      write: (chunk: Buffer, _encoding, done) => {
        told(Buffer.from(chunk));
        done();
      },
    });
    connect({ socket, servername, rejectUnauthorized: false }).on("error", () => {});
  });
}
