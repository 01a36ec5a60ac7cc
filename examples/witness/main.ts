/** Runs a witness on this machine, with its own key and file. */
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { parseArgs } from "node:util"
import * as Cosignature from "@backstitch/transparency/Cosignature"
import * as SignedNote from "@backstitch/transparency/SignedNote"
import * as Result from "effect/Result"
import { type Answer, type Kept, Witness } from "./Witness.ts"

const { values } = parseArgs({
  options: {
    name: { type: "string", default: "localhost/witness" },
    key: { type: "string", default: "witness.pem" },
    state: { type: "string", default: "witness.json" },
    port: { type: "string", default: "0" },
    log: { type: "string", multiple: true, default: [] }
  }
})

const pem = (file: string): string => {
  if (!existsSync(file)) writeFileSync(file, SignedNote.toKey(randomBytes(32)), { flag: "wx", mode: 0o600 })
  return readFileSync(file, "utf8")
}

/** One file, replaced as a whole: after a crash it has the earlier or the later content. */
const kept = (file: string): Kept => ({
  read: () => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}),
  write: (checkpoints) => {
    const next = openSync(`${file}.next`, "w")
    writeSync(next, `${JSON.stringify(checkpoints, null, 2)}\n`)
    fsyncSync(next)
    closeSync(next)
    renameSync(`${file}.next`, file)
  }
})

/** A request is a proof and a checkpoint, so this size is enough. */
const requestMax = 64 * 1024

const textOf = async (request: IncomingMessage): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > requestMax) return undefined
    chunks.push(chunk)
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    return undefined
  }
}

const answer = async (request: IncomingMessage): Promise<Answer> => {
  const [, digest] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(request.url ?? "") ?? []
  if (request.method === "GET" && digest !== undefined) return witness.latest(digest)
  if (request.method !== "POST" || request.url !== "/add-checkpoint") return { status: 404, body: "" }
  const text = await textOf(request)
  return text === undefined ? { status: 400, body: "" } : witness.add(text, Math.floor(Date.now() / 1000))
}

const unread = values.log.filter((log) => Result.isFailure(SignedNote.verifier(log)))
if (values.log.length === 0 || unread.length > 0) {
  console.error(`Give each log by its key, NAME+ID+BASE64, as --log: ${unread.join(", ") || "none was given"}`)
  process.exit(2)
}

const signer = Result.getOrThrow(Cosignature.signer(values.name, pem(values.key)))
const witness = new Witness({ signer, logs: values.log, kept: kept(values.state) })
const server = createServer((request, response) => {
  answer(request)
    .catch((): Answer => ({ status: 500, body: "" }))
    .then(({ body, status, type = "text/plain; charset=utf-8" }) => {
      response.writeHead(status, { "content-type": type }).end(body)
    })
})

server.listen(Number(values.port), "127.0.0.1", () => {
  const place = server.address()
  const port = typeof place === "object" && place !== null ? place.port : values.port
  console.log(`witness w ${signer.verifier} http://127.0.0.1:${port}/`)
})
