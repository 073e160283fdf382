// A client that hedges, which Python's cannot. For each line of input, `node hedging.mjs TARGET
// CONFIG CALLS METHOD REQUEST` makes this many calls, one after the other, and prints their codes
// as JSON. The service config is a file, the request base64.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

// Installed beside the build, not here.
const grpc = createRequire(process.env.NODE_PARTS + "/")("@grpc/grpc-js");

const [target, config, calls, method, request] = process.argv.slice(2);
const client = new grpc.Client(target, grpc.credentials.createInsecure(), {
  "grpc.service_config": readFileSync(config, "utf8"),
  "grpc.default_authority": "loyd",
});
const same = (bytes) => bytes;
const call = () =>
  new Promise((resolve) => {
    client.makeUnaryRequest(
      `/loyd.v1.PuzzleService/${method}`,
      same,
      same,
      Buffer.from(request, "base64"),
      { deadline: Date.now() + 3000 },
      (error) => resolve(error ? grpc.status[error.code] : "OK"),
    );
  });

for await (const _ of createInterface({ input: process.stdin })) {
  const codes = {};
  for (let number = 0; number < Number(calls); number++) {
    const code = await call();
    codes[code] = (codes[code] ?? 0) + 1;
  }
  console.log(JSON.stringify(codes));
}
