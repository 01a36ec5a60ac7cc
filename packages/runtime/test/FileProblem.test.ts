import { assert, describe, it } from "@effect/vitest"
import * as FileProblem from "../src/files/FileProblem.ts"

const coded = (code: string, more: object = {}) => Object.assign(new Error(`${code}: raw`), { code }, more)

describe("FileProblem", () => {
  it("says a code of the system in words, and any other error as it is", () => {
    assert.strictEqual(FileProblem.say(coded("ENOENT")), "there is no such file or folder")
    assert.strictEqual(FileProblem.say(coded("ENOENT", { syscall: "mkdir" })), "its folder cannot be made there")
    assert.strictEqual(FileProblem.say(new Error("odd")), "odd")
    assert.strictEqual(FileProblem.say("thrown"), "thrown")
  })

  it("tells a name under which nothing can be written from a disk that takes no more", () => {
    assert.strictEqual(
      FileProblem.unwritten("f", coded("EISDIR")).message,
      "f cannot be written: it is a folder. Name a file that may be written, in a folder that is there"
    )
    const full = FileProblem.unwritten("f", coded("ENOSPC"))
    assert.deepStrictEqual([full._tag, full.message.endsWith("Repeat when there is room")], ["FileUnwritten", true])
    assert.include(FileProblem.unreadable("f", coded("EACCES")).message, "f cannot be read: it is not permitted. ")
  })
})
