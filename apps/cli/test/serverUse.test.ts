import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import { afterAll } from "vitest"
import { serve } from "../../server/test/served.ts"
import { root } from "../src/Cli.ts"
import * as CompletionTree from "../src/commands/shell/CompletionTree.ts"
import * as ServerUse from "../src/server/ServerUse.ts"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

/** The flags of every command. */
const everywhere: ReadonlySet<string> = new Set(["help", "version", "store", "server", "tenant", "json", "debug"])

type Leaf = readonly [command: string, flags: ReadonlyArray<string>]

/** Every command that does something, with its own flags. */
const leaves = (self: Completions.CommandDescriptor, before: ReadonlyArray<string>): ReadonlyArray<Leaf> =>
  self.subcommands.length > 0
    ? self.subcommands.flatMap((each) => leaves(each, [...before, each.name]))
    : [[before.join(" "), self.flags.map(({ name }) => name).filter((name) => !everywhere.has(name))]]

const commands = new Map(leaves(CompletionTree.of(root), []))

/** The flags of a command with `--server`, and, where some are refused, words with which it is given them. */
interface Flags {
  /** They are part of a request, or say here which request is made. */
  readonly sent?: ReadonlyArray<string>
  readonly refused?: { readonly [flag: string]: ReadonlyArray<string> }
  readonly words?: ReadonlyArray<string>
}

const models = { model: ["openai-compatible"], "base-url": ["http://127.0.0.1:9"], "model-id": ["qwen3"] }
const recording = fileURLToPath(new URL("../../../examples/travel-booking/recorded/trip-43.jsonl", import.meta.url))

/** Every command that an endpoint answers. */
const asked: { readonly [command: string]: Flags } = {
  run: {
    sent: ["agent", "goal", "clause"],
    refused: {
      snapshots: ["10"],
      stage: ["observe"],
      "stage-of": ["pay=observe"],
      topology: ["pipeline"],
      canary: ["pack.yaml"],
      "canary-share": ["0.1"],
      "canary-tenant": ["pilot"],
      ...models
    },
    words: ["new", "--agent", "travel"]
  },
  resume: {
    sent: ["agent"],
    refused: {
      snapshots: ["10"],
      wait: [],
      again: ["3"],
      "break-glass": ["review"],
      past: ["topology.runaway"],
      by: ["Ada"],
      reason: ["fire"],
      ...models
    },
    words: ["trip", "--agent", "travel"]
  },
  runs: { sent: ["limit", "since"] },
  approvals: { sent: ["tool"] },
  approve: { sent: ["by", "role", "reason", "digest"] },
  deny: { sent: ["by", "role", "reason", "digest"] },
  review: {},
  resolve: { sent: ["as", "evidence", "by", "record"] },
  deliver: {
    sent: ["tool", "signature", "headers", "signature-header"],
    refused: { agent: ["travel.ts"], run: ["trip"], "secret-file": ["secret"], serve: ["0"] },
    words: ["-", "--tool", "ship"]
  },
  "webhook create": { sent: ["type", "arguments"] },
  "webhook list": {},
  "webhook remove": {},
  "webhook test": {},
  claims: { sent: ["namespace"] },
  recover: { sent: ["instance", "policy", "agent", "yes", "by", "reason"] },
  inject: {
    sent: ["set", "add", "withdraw", "first", "revision", "keep", "widen", "by", "dry-run"],
    refused: { agent: ["travel"], ...models },
    words: ["trip", "--withdraw", "music"]
  },
  import: {
    refused: {
      format: ["openai-chat"],
      vault: ["vault"],
      recipient: ["key.pem"],
      pack: ["pack.yaml"],
      data: ["folder"],
      prefix: ["old-"]
    },
    words: [recording]
  },
  "key create": { sent: ["name", "role", "as"] },
  "key list": {},
  "key revoke": {},
  fork: {
    sent: ["from", "as", "reason", "policy", "tool-policy", "budget", "behind-undone", "agent"],
    refused: { pack: ["pack.yaml"] },
    words: ["trip@3"]
  },
  "cherry-pick": { sent: ["onto", "dry-run", "agent"] },
  rebase: { sent: ["onto", "as", "continue", "skip", "abort", "dry-run", "agent"] },
  seed: {
    sent: ["from", "goal", "clause", "dry-run", "agent"],
    refused: { pack: ["pack.yaml"] },
    words: ["new", "--from", "trip@3"]
  },
  diff: { sent: ["from", "to", "type", "state", "record"] },
  bisect: {
    sent: ["predicate", "anomaly", "policy-flip", "divergence", "regression", "record", "diagnosis", "by"]
  },
  "predicate register": {
    sent: ["when", "scope", "each", "at", "verify-monotone", "sample", "into", "approved-by"],
    refused: { function: ["rule.ts"], pack: ["pack.yaml"] },
    words: ["rich", "--into", "trip"]
  }
}

/** Flags that commands refuse which look at what they fetched. Their other flags are about that. */
const fetched: { readonly [command: string]: Flags } = {
  watch: { refused: { revise: [] }, words: ["trip"] },
  verify: { refused: { all: [] } },
  export: { refused: { vault: ["trip.vault"] }, words: ["trip"] },
  replay: { refused: { as: ["kept"] }, words: ["trip", "--mode", "recorded", "--agent", "travel.ts"] }
}

describe("ServerUse", () => {
  it("says of every command how it is carried out with --server, and of no other", () => {
    assert.deepStrictEqual(Object.keys(ServerUse.table).sort(), [...commands.keys()].sort())
  })

  it("says what to do instead of a command that works where the store is", () => {
    for (const [command, use] of Object.entries(ServerUse.table)) {
      if (typeof use === "object") assert.match(use.instead, /^[A-Z].*[^.]$/, command)
    }
  })

  it("leaves no flag of a command that an endpoint answers unread", () => {
    const isAsked = (use: ServerUse.ServerUse | undefined): boolean => use === "asked" || use === "both"
    assert.deepStrictEqual(
      Object.keys(asked).sort(),
      [...commands.keys()].filter((command) => isAsked(ServerUse.table[command])).sort()
    )
    for (const [command, { refused = {}, sent = [] }] of Object.entries(asked)) {
      assert.deepStrictEqual([...sent, ...Object.keys(refused)].sort(), [...commands.get(command)!].sort(), command)
    }
  })

  it.live(
    "refuses each flag that a server does not take, before anything is asked of a run",
    () =>
      Effect.gen(function* () {
        const { address, key } = yield* serve()
        const operator = yield* key("default", "operator")
        for (const [command, { refused = {}, words = [] }] of Object.entries({ ...asked, ...fetched })) {
          for (const [flag, values] of Object.entries(refused)) {
            const line = [...command.split(" "), ...words, `--${flag}`, ...values, "--server", address]
            const { code, err, out } = yield* Effect.promise(() => shell.run(line, { BACKSTITCH_KEY: operator }))
            assert.deepStrictEqual([code, out], [2, ""], `${line.join(" ")}: ${err}`)
            assert.include(err, `--${flag} does not go with --server`)
          }
        }
      }),
    60_000
  )
})
