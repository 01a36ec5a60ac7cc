import type * as Next from "@backstitch/wording/Next"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Spelling from "../src/terminal/Spelling.ts"

const decide: Next.Next = { needs: ["owner"], review: "r5", run: "trip", verb: "decide" }
const attest: Next.Next = { action: "a7", run: "trip", verb: "attest" }
const signed = "--evidence TEXT --by NAME"

describe("a step", () => {
  it("is spelled as a command, with a placeholder for each missing argument", () => {
    const steps: ReadonlyArray<readonly [Next.Next, string]> = [
      [{ run: "trip", verb: "resume" }, "resume trip --agent FILE"],
      [{ again: 9, run: "trip", verb: "resume" }, "resume trip --agent FILE --again 9"],
      [{ again: true, run: "trip", verb: "resume" }, "resume trip --agent FILE --again TICK"],
      [
        { breakGlass: "r5", run: "trip", verb: "resume" },
        "resume trip --agent FILE --break-glass r5 --by NAME --reason TEXT"
      ],
      [{ from: 6, run: "trip", verb: "fork" }, "fork trip --from 6 --reason TEXT"],
      [{ from: 6, pack: true, run: "trip", verb: "fork" }, "fork trip --from 6 --reason TEXT --pack FILE"],
      [{ from: 6, reason: 'a "b"', run: "trip", verb: "fork" }, `fork trip --from 6 --reason 'a "b"'`],
      [{ verb: "absorb" }, "inject RUN --agent FILE"],
      [{ keep: "a7", run: "trip", verb: "absorb", widen: true }, "inject trip --keep a7 --widen --agent FILE"],
      [{ verb: "rebase" }, "rebase RUN --onto RUN"],
      [{ onto: "main", run: "trip", verb: "rebase" }, "rebase trip --onto main"],
      [{ run: "trip", stopped: "continue", verb: "rebase" }, "rebase trip --continue"],
      [{ run: "trip", stopped: "skip", verb: "rebase" }, "rebase trip --continue --skip"],
      [{ run: "trip", stopped: "abort", verb: "rebase" }, "rebase trip --abort"],
      [{ verb: "resolve" }, `resolve RUN ACTION --as success|failure|abandoned ${signed}`],
      [{ action: "a7", as: ["noted"], run: "trip", verb: "resolve" }, `resolve trip a7 --as noted ${signed}`],
      [attest, `resolve trip a7 --as success --record FILE ${signed}`],
      [decide, "approve trip r5 --by NAME --role owner"],
      [{ ...decide, as: "denied", needs: ["owner", "chief"] }, "deny trip r5 --by NAME --role ROLE"],
      [{ action: "a7", run: "trip", verb: "action" }, "action a7 --run trip"],
      [{ run: "trip", verb: "bisect" }, "bisect trip --anomaly"],
      [{ predicate: "over", run: "trip", verb: "bisect" }, "bisect trip --predicate over"],
      [{ other: "main", run: "trip", to: 1, verb: "diff" }, "diff trip main --to 1"],
      [{ run: "trip", tick: 4, verb: "explain" }, "explain trip@4"],
      [{ run: "trip", verb: "ledger" }, "ledger trip"],
      [{ verb: "list" }, "runs"],
      [{ run: "trip", verb: "report" }, "report trip"],
      [{ run: "trip", verb: "review" }, "review trip"],
      [{ run: "trip", verb: "show" }, "show trip"],
      [{ run: "trip", verb: "subtasks" }, "instances trip"],
      [{ run: "trip", verb: "verify" }, "verify trip"],
      [{ verb: "verify" }, "verify --all"],
      [{ run: "trip", verb: "watch" }, "watch trip"]
    ]
    for (const [step, command] of steps) {
      assert.strictEqual(Spelling.of(step), `backstitch ${command}`)
      assert.deepStrictEqual(Spelling.told(step), { ...step, command: `backstitch ${command}` })
    }
  })

  it("works on the server that was asked, or is done where the store is", () => {
    const address = "http://127.0.0.1:4747"
    const onServer = (step: Next.Next, at = address) =>
      Effect.runSync(
        Effect.provideService(
          Effect.sync(() => Spelling.of(step)),
          Spelling.CommandPlace,
          { server: at }
        )
      )
    const steps: ReadonlyArray<readonly [Next.Next, string]> = [
      [{ run: "trip", verb: "resume" }, `resume trip --agent NAME --server ${address}`],
      [decide, `approve trip r5 --by NAME --role owner --server ${address}`],
      [{ keep: "a7", run: "trip", verb: "absorb" }, `inject trip --keep a7 --server ${address}`],
      [{ or: [decide], run: "trip", verb: "resolve" }, `resolve trip ACTION --as success|failure|abandoned ${signed}`],
      [
        { past: "runaway", run: "trip", verb: "resume" },
        "resume trip --agent FILE --past runaway --by NAME --reason TEXT (where the store is)"
      ],
      [{ from: 6, pack: true, run: "trip", verb: "fork" }, "fork trip --from 6 --reason TEXT --pack FILE (where"],
      [{ verb: "verify" }, "verify --all (where the store is)"]
    ]
    for (const [step, command] of steps) assert.include(onServer(step), `backstitch ${command}`)
    assert.include(onServer({ verb: "list" }, "http://[::1]:4747"), "--server 'http://[::1]:4747'")
    assert.strictEqual(onServer({ verb: "end" }), "end the run")
  })

  it("works on the store and for the tenant that were named, and prints no password", () => {
    const verify: Next.Next = { run: "trip", verb: "verify" }
    const spelled = (...args: ReadonlyArray<string>) =>
      Effect.runSync(
        Effect.provideService(
          Effect.sync(() => Spelling.of(verify)),
          Spelling.CommandPlace,
          Spelling.placeIn(args)
        )
      )
    const step = "backstitch verify trip"
    assert.strictEqual(spelled("show", "trip"), step)
    assert.strictEqual(spelled("show", "--store", "a.db", "--tenant=acme"), `${step} --store a.db --tenant acme`)
    assert.strictEqual(spelled("show", "--store=our runs/a.db"), `${step} --store 'our runs/a.db'`)
    assert.strictEqual(spelled("show", "--store", "a$b.db"), `${step} --store 'a$b.db'`)
    assert.strictEqual(spelled("show", "--store", "Ada's.db"), `${step} --store 'Ada'\\''s.db'`)
    assert.strictEqual(spelled("show", "--server", "https://me:secret@host"), `${step} --server SERVER`)
    assert.strictEqual(spelled("show", "--store", "postgres://me:secret@db/runs"), `${step} --store STORE`)
    assert.strictEqual(spelled("show", "--store", "postgres://db/runs?password=secret"), `${step} --store STORE`)
    assert.strictEqual(spelled("show", "--store", "postgres://db/runs"), `${step} --store postgres://db/runs`)
    assert.strictEqual(spelled("mcp-proxy", "--", "server", "--store", "theirs.db"), step)
  })

  it("is words if no command does it", () => {
    for (const verb of ["amend", "propose", "wait"] as const) {
      assert.strictEqual(Spelling.of({ verb, words: "declare it" }, { run: "trip" }), "declare it")
      assert.deepStrictEqual(Spelling.told({ verb, words: "declare it" }, { run: "trip" }), {
        verb,
        words: "declare it"
      })
    }
    assert.strictEqual(Spelling.of({ needs: ["owner", "chief"], verb: "decide" }), "let owner or chief decide")
    assert.strictEqual(Spelling.of({ verb: "end" }), "end the run")
  })

  it("is about the run at hand if it names no other", () => {
    const about = { action: "a7", review: "r5", run: "trip" }
    assert.strictEqual(
      Spelling.all([{ verb: "resume" }, { run: "other", verb: "report" }, { verb: "decide" }], about),
      "backstitch resume trip --agent FILE; backstitch report other; backstitch approve trip r5 --by NAME --role ROLE"
    )
    assert.strictEqual(Spelling.of({ verb: "attest" }, about), Spelling.of(attest))
  })

  it("says from when the same command takes another verdict", () => {
    const later = { as: ["failure", "resent"], from: 1_000 } as const
    const step: Next.Next = { action: "a7", as: ["abandoned"], later, or: [attest], run: "trip", verb: "resolve" }
    assert.strictEqual(
      Spelling.of(step),
      `backstitch resolve trip a7 --as abandoned ${signed} ` +
        "(--as failure|resent from 1970-01-01T00:00:01.000Z on, or --as success --record FILE)"
    )
    assert.include(JSON.stringify(Spelling.told(step)), JSON.stringify({ later }).slice(1, -1))
  })

  it("prints only the flags of alternatives by the same command", () => {
    const step: Next.Next = {
      action: "a7",
      as: ["failure", "abandoned"],
      or: [attest, decide],
      run: "trip",
      verb: "resolve",
      words: "whoever has looked"
    }
    const command = `backstitch resolve trip a7 --as failure|abandoned ${signed}`
    const approve = "backstitch approve trip r5 --by NAME --role owner"
    assert.strictEqual(
      Spelling.of(step),
      `${command} (whoever has looked, or --as success --record FILE, or ${approve})`
    )
    // A program is told each of them whole.
    const { or = [], ...told } = Spelling.told(step)
    assert.deepInclude(told, { command, words: "whoever has looked" })
    assert.deepStrictEqual(
      [or[0]?.command, or[1]?.command],
      [`backstitch resolve trip a7 --as success --record FILE ${signed}`, approve]
    )
  })
})
