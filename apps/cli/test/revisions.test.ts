import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const agent = ["--agent", fixture("party.ts")]
const effectsOf = (file: string): ReadonlyArray<string> => JSON.parse(readFileSync(file, "utf8")).effects

describe("backstitch inject, plan and spec", () => {
  it("shows a revision before it is recorded, records it, and lets the agent absorb it", async () => {
    const desk = { PARTY_DESK: shell.path("one.json") }
    await shell.run(["run", "party-1", ...agent], desk)
    const planned = await shell.run(["plan", "party-1", "--set", "city=Basel"])
    assert.strictEqual(planned.code, 0, planned.err)
    assert.match(
      planned.out,
      /PLAN: run=party-1 \| dependency_closure \| keeps 1 act \| price 2: 1 to undo, 1 act in vain/
    )
    assert.match(planned.out, /undo +a2 +hire +K +by cancel, which leaves residue/)
    const { document: dry } = await shell.json("inject party-1 --set city=Basel --dry-run")
    assert.deepStrictEqual([dry.done, dry.plan.possible, dry.plan.undo[0].action], [false, true, "a2"])
    const recorded = await shell.run(["inject", "party-1", "--set", "city=Basel", "--by", "Ada"])
    assert.include(recorded.out, "INJECTED:")
    assert.match(
      (await shell.run(["spec", "party-1"])).out,
      /REVISION \d+ substitutive by Ada: set city=Basel \| not absorbed yet/
    )
    await shell.run(["resume", "party-1", ...agent], desk)
    assert.deepStrictEqual(effectsOf(desk.PARTY_DESK), ["hire Casino", "book Trio", "cancel Casino", "hire Messe"])
    const { document: spec } = await shell.json("spec party-1")
    assert.deepInclude(spec.clauses[1], { clause: "city", value: "Basel" })
    assert.isTrue(spec.revisions[0].absorbed)
    const shown = await shell.run(["show", "party-1"])
    assert.match(shown.out, /revision\.injected +set city=Basel/)
    assert.match(shown.out, /revision\.absorbed +discards a2, undoes a2/)
    assert.strictEqual((await shell.run(["verify", "party-1", "--redecide"])).code, 0)
  }, 120_000)

  it("lets the agent's model read what the user said, and a run follow one whose goal was reached", async () => {
    const desk = { PARTY_DESK: shell.path("two.json"), PARTY_ENDS: "1" }
    const own = new Shell()
    await own.run(["run", "party-2", ...agent], desk)
    const bare = await own.run(["inject", "party-2", "rather in Basel"])
    assert.strictEqual(bare.code, 2)
    assert.include(bare.err, "The goal of run party-2 is reached")
    const done = await own.run(["inject", "party-2", "rather in Basel", ...agent], desk)
    assert.strictEqual(done.code, 0, done.err)
    assert.match(done.out, /ABSORBED: run=party-2 \| its goal was reached, so another run follows: .*party-2-2/)
    // A process that died before it began the next run, and one that did not, are asked for it in the same way.
    const again = await own.run(["inject", "party-2", ...agent], desk)
    assert.match(again.out, /another run follows: .*party-2-2/, again.err)
    // The next run is the one to be revised, whatever asks for it.
    for (const command of ["plan", "inject"]) {
      const followed = await own.run([command, "party-2", "--withdraw", "music"])
      assert.strictEqual(followed.code, 1)
      assert.match(followed.err, /run party-2-2 follows it. Revise run party-2-2/)
    }
    const over = await own.run(["resume", "party-2", ...agent], desk)
    assert.match(over.out, /was reached, and revised at tick \d+.*next +backstitch resume party-2-2 --agent FILE/s)
    const next = await own.run(["resume", "party-2-2", ...agent], desk)
    assert.strictEqual(next.code, 0, next.err)
    assert.deepStrictEqual(effectsOf(desk.PARTY_DESK), ["hire Casino", "book Trio", "cancel Casino", "hire Messe"])
    const music = await own.run(["plan", "party-2-2", "--withdraw", "music"])
    assert.match(music.out, /elsewhere party-2\/a\d+ book \(music\): it no longer fits: no plan undoes it/)
    assert.match((await own.run(["spec", "party-2-2"])).out, /GOAL: .* follows run party-2\n/)
    assert.match(
      (await own.run(["show", "party-2-2"])).out,
      /run\.started +goal="A party with music" +follows party-2\n/
    )
    const { document } = await own.json("spec party-2-2")
    assert.include(document.revisions[0].changes, "set city=Basel")
    own.remove()
  }, 120_000)

  it("reads a revision from a file, and says what is wrong with one", async () => {
    const desk = { PARTY_DESK: shell.path("three.json") }
    const own = new Shell()
    await own.run(["run", "party-3", ...agent], desk)
    const file = own.path("change.json")
    writeFileSync(file, JSON.stringify({ changes: [{ change: "withdraw", clause: "music" }], said: "no music" }))
    assert.match(
      (await own.run(["plan", "party-3", "--revision", file])).out,
      /undo +\w+ +book +R +by unbook; no drill has exercised its undo\n/
    )
    writeFileSync(file, JSON.stringify([{ change: "forget", clause: "music" }]))
    const wrong = await own.run(["plan", "party-3", "--revision", file])
    assert.strictEqual(wrong.code, 2)
    assert.match(wrong.err, /is no revision.*changes/)
    const unknown = await own.run(["inject", "party-3", "--set", "citty=Basel"])
    assert.notStrictEqual(unknown.code, 0)
    assert.match(unknown.err, /citty: found citty, expected a clause that is in force, such as city/)
    const nothing = await own.run(["plan", "party-3"])
    assert.match(nothing.err, /Nothing is pending in run party-3/)
    own.remove()
  }, 120_000)

  it("says what a revision lacks, whoever wrote it", async () => {
    const own = new Shell()
    const desk = { PARTY_DESK: own.path("six.json") }
    await own.run(["run", "party-6", ...agent], desk)
    const file = own.path("change.json")
    const withdrawn = [{ change: "withdraw", clause: "music" }]
    writeFileSync(file, JSON.stringify({ changes: withdrawn, followUp: "party-5" }))
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, number, RegExp]> = [
      [[], 2, /Say what changes in the goal of run party-6: --set, --add/],
      [["--dry-run"], 2, /Say what changes/],
      [["--set", "=Basel"], 2, /written NAME=VALUE/],
      [["--set", "__proto__=1"], 1, /__proto__: found __proto__, expected a clause that is in force/],
      [["--withdraw", " "], 2, /withdrawn by its name/],
      [["--first", "city,,budget"], 2, /"city,,budget" leaves out a name/],
      [["--revision", file], 2, /followUp: only the runtime writes it/],
      [
        ["--set", "city=Basel", "--keep", "a2"],
        2,
        /Nobody is asked whether a2 fits: contracts decide about each act\. Leave out --keep/
      ],
      [
        ["rather in Genf", ...agent],
        2,
        /"rather in Genf" changes nothing: nothing in them was read as a change\. .* with --set/
      ],
      [["nonsense", ...agent], 2, /their reader answered no revision: changes\.0/]
    ]
    for (const [words, code, said] of refusals) {
      const { code: left, err } = await own.run(["inject", "party-6", ...words], desk)
      assert.deepStrictEqual([left, words.join(" ")], [code, words.join(" ")])
      assert.match(err, said)
    }
    const named = await own.run(["plan", "party-6", "--add", "constructor: true"])
    assert.match(named.out, /PLAN: .* price 0/, named.err)
    own.remove()
  }, 120_000)

  it("absorbs what is pending where a revision says it again, and counts it in every plan", async () => {
    const own = new Shell()
    const desk = { PARTY_DESK: own.path("seven.json") }
    await own.run(["run", "party-7", ...agent], desk)
    await own.run(["inject", "party-7", "--set", "city=Basel"])
    const pending = await own.run(["plan", "party-7"])
    assert.match(pending.out, /counts the revision at tick \d+/)
    assert.match(pending.out, /resume the run, or inject with --agent, to carry it out/)
    assert.match(
      (await own.run(["plan", "party-7", "--withdraw", "music"])).out,
      /counts the revision at tick \d+.*undo +a\d+ +hire/s
    )
    const again = await own.run(["inject", "party-7", "--set", "city=Basel"])
    assert.match(again.err, /Nothing new is injected.*or here with --agent/)
    const absorbed = await own.run(["inject", "party-7", "--set", "city=Basel", ...agent], desk)
    assert.match(absorbed.out, /nothing new: the revision that was injected before is absorbed/, absorbed.err)
    assert.match(absorbed.out, /ABSORBED: run=party-7/)
    assert.deepStrictEqual(effectsOf(desk.PARTY_DESK), ["hire Casino", "book Trio", "cancel Casino"])
    own.remove()
  }, 120_000)

  it("says what blocks an absorption, and absorbs it widened", async () => {
    const desk = { PARTY_DESK: shell.path("blocked.json"), PARTY_GUEST: "ada" }
    const own = new Shell()
    await own.run(["run", "party-5", ...agent], desk)
    const planned = await own.run(["plan", "party-5", "--set", "city=Basel"])
    assert.strictEqual(planned.code, 1)
    assert.match(planned.out, /blocked a2: a\d+ read world\.halls\["Casino"\] of it, and nothing undoes a\d+/)
    await own.run(["inject", "party-5", "--set", "city=Basel"])
    const resumed = await own.run(["resume", "party-5", ...agent], desk)
    assert.notStrictEqual(resumed.code, 0)
    assert.match(resumed.out, /read world\.halls/)
    assert.match(resumed.out, /backstitch inject party-5 --widen --agent FILE/)
    assert.match((await own.run(["status", "party-5"])).out, /revised at tick \d+, and what was done is not adapted/)
    const widened = await own.run(["inject", "party-5", "--widen", ...agent], desk)
    assert.strictEqual(widened.code, 0, widened.err)
    assert.match(widened.out, /lost +a\d+ +invite +X +it stays: nothing undoes it/)
    assert.deepStrictEqual(effectsOf(desk.PARTY_DESK).slice(3), ["cancel Casino"])
    own.remove()
  }, 120_000)

  it("keeps what a person says for the process that absorbs", async () => {
    const desk = { PARTY_DESK: shell.path("told.json"), PARTY_GUEST: "ada" }
    const own = new Shell()
    await own.run(["run", "party-8", ...agent], desk)
    const blocked = await own.run(["inject", "party-8", "--set", "city=Basel", ...agent], desk)
    assert.match(blocked.out, /nothing undoes a\d+; --widen gives that up as lost/)
    assert.match(blocked.out, /NOT ABSORBED: .*\nnext +backstitch inject party-8 --widen --agent FILE/)
    const told = await own.run(["inject", "party-8", "--set", "city=Genf", "--widen"])
    assert.include(told.out, "INJECTED:")
    assert.match((await own.run(["spec", "party-8"])).out, /set city=Genf \| widened \| not absorbed yet/)
    const resumed = await own.run(["resume", "party-8", ...agent], desk)
    assert.match(resumed.out, /revision\.absorbed +discards a\d+, a\d+, undoes a\d+, loses a\d+/, resumed.err)
    assert.strictEqual((await own.run(["verify", "party-8", "--redecide"])).code, 0)
    own.remove()
  }, 120_000)

  it("reads changes while a run is watched, one a line", async () => {
    const own = new Shell()
    await own.run(["run", "party-4", ...agent], { PARTY_DESK: own.path("four.json") })
    const { child, ended } = await own.start(["watch", "party-4", "--revise"], {
      input: "set citty=1\nset city = Basel; withdraw music\n"
    })
    let out = ""
    await new Promise<void>((resolve) => {
      child.stdout?.on("data", (chunk: Buffer) => {
        out += chunk.toString()
        if (out.includes("revision.injected")) resolve()
      })
      void ended.then(() => resolve())
    })
    child.kill("SIGINT")
    const { err } = await ended
    assert.match(out, /revision\.injected +set city=Basel; withdraw music/)
    assert.match(err, /Type a change of the goal/)
    assert.match(err, /citty: found citty/)
    own.remove()
  }, 120_000)
})
