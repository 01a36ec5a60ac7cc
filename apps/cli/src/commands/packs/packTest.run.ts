/** Runs the tests of a pack. */
import * as PackTest from "@backstitch/kernel/PackTest"
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import type { Input } from "./packTest.ts"

const print = ({ answer, differs, name, passed }: PackTest.Tested): void => {
  Terminal.print(`${passed ? Terminal.good("passed:") : Terminal.bad("failed:")} ${name}  ${Terminal.dim(answer)}`)
  for (const { expected, found } of differs) Terminal.print(`        expected ${expected}, found ${found}`)
}

/** Prints the result of each test; 1 if one failed. */
export const handler: Handler<Input> = ({ file }) =>
  Effect.map(PackFile.load(file), (pack) => {
    const tests = PackTest.all(pack)
    const failed = PackTest.failures(tests)
    const { digest, id, version } = pack
    const view = () => {
      for (const test of tests) print(test)
      const word = failed === 0 ? Terminal.good("TESTED:") : Terminal.bad("TESTED:")
      const none = tests.length === 0 ? " | the pack has no `tests`" : ""
      Terminal.print(`${word} ${id} ${version} | tests=${tests.length} | failed=${failed}${none}`)
    }
    return Printer.answer({ file, pack: id, version, digest, failed, tests }, view, ExitCode.of(failed === 0))
  })
