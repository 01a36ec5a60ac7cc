/** Takes deliveries in. */
import { readFile } from "node:fs/promises"
import * as AgentFile from "@backstitch/runtime/AgentFile"
import * as DeliverySecrets from "@backstitch/runtime/DeliverySecrets"
import * as DeliveryVerdict from "@backstitch/runtime/DeliveryVerdict"
import * as FileProblem from "@backstitch/runtime/FileProblem"
import * as WebhookIntake from "@backstitch/runtime/WebhookIntake"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import * as TickLine from "../../output/TickLine.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Spelling from "../../terminal/Spelling.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./deliver.ts"
import * as ProviderSecrets from "./ProviderSecrets.ts"
import * as SignatureFlags from "./SignatureFlags.ts"
import * as WebhookServer from "./WebhookServer.ts"

const once = Effect.fnUntraced(function* (input: Input & { readonly file: string }, globals: Globals) {
  const file = yield* loaded(input)
  const about = yield* Effect.fromResult(WebhookIntake.toolOf(file.pack, input.tool))
  const headers = yield* SignatureFlags.read(input, about.webhook)
  const secrets = yield* ProviderSecrets.read(input.secretFile)
  const body = yield* bodyOf(input.file)
  return yield* Effect.gen(function* () {
    const run = input.run === undefined ? undefined : yield* StoreSession.find(input.run, globals)
    const tenant = yield* StoreSession.tenant(globals)
    Terminal.acting()
    const taking = DeliveryVerdict.take({ ...about, body, headers, run, tenant }, (step) => {
      globals.printer.tell(() => Terminal.print(TickLine.render(step)))
    })
    const taken = yield* taking.pipe(DeliverySecrets.provide(about, secrets))
    return Printer.answer(told(taken), () => print(taken), ExitCode.of(DeliveryVerdict.isTaken(taken)))
  }).pipe(Effect.provide(StoreSession.acting(globals, file)))
})

/** The agent whose tools read back. Only a server has agents of its own. */
const loaded = ({ agent }: Input) =>
  agent === undefined
    ? Effect.fail(new Usage({ problem: "Name the module of the agent with --agent, whose tools read back" }))
    : AgentFile.load(agent, { undeclared: "permit" })

/** Hands a delivery to a server, whose agents have the contract and the secret of the tool. */
const served = Effect.fnUntraced(function* (input: Input, { tenant }: Globals, server: Server) {
  const { agent, file, run, secretFile, serve, tool } = input
  const own = { "--agent": agent, "--run": run, "--secret-file": secretFile, "--serve": serve?.toString() }
  yield* ServerCall.refuse(own, "a server has agents and secrets of its own, and an address for deliveries")
  if (tool === undefined)
    return yield* new Usage({ problem: "A server takes deliveries by their tool: name it with --tool" })
  if (file === undefined) return yield* new Usage({ problem: "Name the file of the body, or - for stdin" })
  const headers = yield* SignatureFlags.sent(input)
  const { deliver } = yield* Effect.promise(() => import("../../server/ServerSession.ts"))
  const taken = yield* deliver(server, { tenant, tool, headers, body: yield* bodyOf(file) })
  return Printer.answer(
    taken,
    () => {
      const which = taken.action === null ? "" : ` (${taken.action})`
      const says = taken.ok ? Terminal.good("DELIVERED:") : Terminal.wary("DELIVERED:")
      Terminal.print(`${says} ${Terminal.name(taken.tool)}${which} | ${taken.verdict.replace("_", " ")}`)
    },
    ExitCode.of(taken.ok)
  )
})

const told = (taken: DeliveryVerdict.DeliveryOutcome): object => ({
  ...taken,
  next: taken.next.map((step) => Spelling.told(step)),
  ok: DeliveryVerdict.isTaken(taken)
})

const print = (taken: DeliveryVerdict.DeliveryOutcome): void => {
  const { action, committed, next, run, tool, verdict, why } = taken
  if (committed.length > 0) Terminal.print()
  const paint = verdict === "refused" ? Terminal.bad : DeliveryVerdict.isTaken(taken) ? Terminal.good : Terminal.wary
  const where = run === "" ? "" : ` run=${run} |`
  const which = action === null ? "" : ` (${action})`
  const says = verdict === "refused" ? "NOT TAKEN:" : "DELIVERED:"
  Terminal.print(`${paint(says)}${where} ${Terminal.name(tool)}${which} | ${verdict.replace("_", " ")}`)
  if (why !== null) Terminal.print(`           ${why}`)
  if (next.length > 0) Terminal.print(`${Terminal.dim("next")}       ${Spelling.all(next)}`)
}

/** A body as the bytes that arrived, since its signature covers them. */
const bodyOf = (file: string): Effect.Effect<Uint8Array, Usage> =>
  Effect.tryPromise({
    try: async () => {
      if (file !== "-") return await readFile(file)
      const chunks: Array<Buffer> = []
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    },
    catch: (cause) =>
      new Usage({
        problem: `The body ${file} cannot be read: ${FileProblem.say(cause)}`
      })
  })

const serve = Effect.fnUntraced(function* (input: Input & { readonly serve: number }, globals: Globals) {
  const { file: body, headers, run, signature } = input
  if (body !== undefined || headers !== undefined || signature !== undefined || run !== undefined) {
    const problem = "--serve takes what comes over HTTP: leave FILE, --run, --signature and --headers out"
    return yield* new Usage({ problem })
  }
  const file = yield* loaded(input)
  if (input.tool !== undefined) yield* Effect.fromResult(WebhookIntake.toolOf(file.pack, input.tool))
  const secrets = yield* ProviderSecrets.read(input.secretFile)
  const tenant = yield* StoreSession.tenant(globals)
  const about = {
    pack: file.pack,
    tool: input.tool,
    header: input.signatureHeader,
    secrets,
    tenant
  }
  return yield* WebhookServer.serve(input.serve, about).pipe(Effect.provide(StoreSession.acting(globals, file)))
})

/** Takes in one delivery, or all that arrive until it is stopped. */
export const handler: Handler<Input> = (input, globals): ReturnType<Handler<Input>> => {
  const { server } = globals
  if (server !== undefined) return served(input, globals, server)
  if (input.serve !== undefined) return serve({ ...input, serve: input.serve }, globals)
  if (input.file !== undefined) return once({ ...input, file: input.file }, globals)
  return Effect.fail(new Usage({ problem: "Name the file of the body, - for stdin, or a port with --serve" }))
}
