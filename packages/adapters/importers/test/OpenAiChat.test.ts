import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as OpenAiChat from "../src/formats/OpenAiChat.ts"

const call = (id: string, tool = "look", args = "{}") => ({ id, function: { name: tool, arguments: args } })
const calls = (...list: ReadonlyArray<unknown>) => ({ role: "assistant", content: null, tool_calls: list })
const answer = (id: string, content: string | null = "done") => ({ role: "tool", tool_call_id: id, content })
const parse = (value: unknown) => Result.getOrThrow(OpenAiChat.parse(JSON.stringify(value)))
const problem = (value: unknown) => {
  const parsed = OpenAiChat.parse(typeof value === "string" ? value : JSON.stringify(value))
  return Result.isFailure(parsed) ? parsed.failure : "none"
}

describe("OpenAiChat", () => {
  it("reads messages in order, one step a message", () => {
    const chat = parse({
      task_id: 7,
      trial: 1,
      traj: [
        { role: "system", content: "rules" },
        {
          role: "user",
          content: [
            { type: "text", text: "hel" },
            { type: "text", text: "lo" }
          ]
        },
        { role: "assistant", content: "hi", tool_calls: [call("a", "look", '{"at": 1}')] },
        answer("a")
      ]
    })
    assert.strictEqual(chat.task, "7")
    assert.strictEqual(chat.trial, "1")
    assert.strictEqual(chat.messages, 4)
    assert.strictEqual(chat.toolCalls, 1)
    assert.strictEqual(chat.steps.length, 4)
    assert.deepStrictEqual(chat.steps[1], [{ _tag: "Received", message: 1, role: "user", content: "hello" }])
    assert.deepStrictEqual(chat.steps[2], [
      { _tag: "Sent", message: 2, content: "hi" },
      { _tag: "Called", message: 2, action: "a", call: { id: "a", tool: "look", args: { at: 1 } } }
    ])
  })

  it("pairs a result with the latest unanswered call of its id", () => {
    const chat = parse([
      calls(call("a", "first")),
      answer("a", "one"),
      calls(call("a", "second")),
      answer("a", "two"),
      calls(call("b", "third"), call("b", "fourth")),
      answer("b", "four"),
      answer("b", "three")
    ])
    const answered = chat.steps.flat().filter((step) => step._tag === "Answered")
    assert.isTrue(chat.repeatedToolCallIds)
    assert.deepStrictEqual(
      answered.map(({ action, call, output }) => [action, call.tool, output]),
      [
        ["a", "first", "one"],
        ["a#2", "second", "two"],
        ["b#2", "fourth", "four"],
        ["b", "third", "three"]
      ]
    )
  })

  it("leaves a call without a result open", () => {
    const chat = parse([calls(call("a"), call("b")), answer("a")])
    assert.isFalse(chat.repeatedToolCallIds)
    assert.deepStrictEqual(
      chat.steps.flat().map((step) => step._tag),
      ["Called", "Called", "Answered"]
    )
  })

  it("keeps arguments that are not a JSON object as text", () => {
    const chat = parse([calls(call("a", "look", "{oops"), call("b", "look", "[1]"), call("c", "look", ""))])
    assert.deepStrictEqual(
      chat.steps.flat().map((step) => (step._tag === "Called" ? step.call.args : undefined)),
      ["{oops", "[1]", {}]
    )
  })

  it("names the unreadable message, and the expected form", () => {
    assert.match(problem("{"), /not JSON/)
    assert.match(problem({ turns: [] }), /no messages.*`traj` or `messages`/)
    assert.match(problem([{ role: "user", content: "x" }, 4]), /message 1 is not an object/)
    assert.match(problem([{ role: "narrator", content: "x" }]), /message 0 has the role "narrator"/)
    assert.match(problem([{ role: "user", content: 4 }]), /message 0 has a `content`/)
    assert.match(problem([{ role: "assistant", tool_calls: 4 }]), /message 0 has `tool_calls` that are not a list/)
    assert.match(problem([calls({ id: "a" })]), /message 0 has a tool call without/)
    assert.match(problem([{ role: "tool", content: "x" }]), /no `tool_call_id`/)
    assert.match(problem([answer("a")]), /"a", and no call of that id is unanswered/)
    assert.match(problem([calls(call("a")), answer("a"), answer("a")]), /message 2 answers the tool call "a"/)
  })

  // Few ids, so that they often repeat; a result is attempted for an id that may or may not be open.
  const Moves = Schema.Array(Schema.Tuple([Schema.Literals(["call", "answer"]), Schema.Literals(["a", "b"])]))

  it.prop(
    "gives every action one name and at most one answer, of the latest open call",
    [Moves],
    ([moves]) => {
      const open: Array<{ readonly id: string; readonly at: number }> = []
      const messages = moves.flatMap(([move, id], at): ReadonlyArray<object> => {
        if (move === "call") {
          open.push({ id, at })
          return [calls(call(id, `tool-${at}`))]
        }
        const latest = open.findLastIndex((entry) => entry.id === id)
        if (latest < 0) return []
        const [entry] = open.splice(latest, 1)
        return [answer(id, `tool-${entry!.at}`)]
      })
      const steps = parse(messages).steps.flat()
      const called = steps.flatMap((step) => (step._tag === "Called" ? [step.action] : []))
      const answered = steps.flatMap((step) => (step._tag === "Answered" ? [step] : []))
      assert.strictEqual(new Set(called).size, called.length)
      assert.strictEqual(called.length - answered.length, open.length)
      for (const step of answered) assert.strictEqual(step.output, step.call.tool)
    },
    { arbitrary: { runs: 300 } }
  )

  it.effect("is tested with moves that repeat ids and leave calls open", () =>
    Effect.gen(function* () {
      const cases = yield* Arbitrary.sampleEffect(Arbitrary.schema(Moves), { count: 300, seed: 1 })
      const repeating = cases.filter((moves) => moves.filter(([move, id]) => move === "call" && id === "a").length > 1)
      const answering = cases.filter((moves) => moves.some(([move]) => move === "answer"))
      assert.isAbove(repeating.length, 20)
      assert.isAbove(answering.length, 20)
    })
  )
})
