/**
 * Checks the form of commits: `pnpm commits` checks the newest twenty, `pnpm commits RANGE` a range.
 *
 * A subject is conventional and has at most 72 characters, so that a log can be read in columns. The body of a fix, a
 * refactoring or a gain in speed gives the reason.
 */
import { execFileSync } from "node:child_process"
import { pathToFileURL } from "node:url"
import { root } from "./Repository.ts"

/** A commit as its log shows it. */
export interface Commit {
  readonly id: string
  readonly subject: string
  readonly body: string
}

const columns = 72
const conventional = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([a-z0-9-]+\))?!?: \S/
const explained = /^(fix|perf|refactor)\b/

/** Lists the faults of a commit, each with what to do about it. */
export const faults = ({ body, subject }: Commit): ReadonlyArray<string> => [
  ...(conventional.test(subject) ? [] : ['begin the subject with its kind, such as "fix(kernel): "']),
  ...(subject.length <= columns ? [] : [`the subject has ${subject.length} characters, at most ${columns}`]),
  ...(subject.endsWith(".") ? ["leave out the full stop of the subject"] : []),
  ...(explained.test(subject) && body.trim() === "" ? ["say why in a body"] : [])
]

/** Reads commits from the log of this repository, the newest first. */
export const read = (...selection: ReadonlyArray<string>): ReadonlyArray<Commit> =>
  execFileSync("git", ["log", "--no-merges", "--format=%h%x1f%s%x1f%b%x1e", ...selection], {
    cwd: root,
    encoding: "utf8"
  })
    .split("\x1e")
    .filter((record) => record.trim() !== "")
    .map((record) => {
      const [id = "", subject = "", body = ""] = record.trim().split("\x1f")
      return { id, subject, body }
    })

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [range] = process.argv.slice(2)
  const found = read(...(range === undefined ? ["-n", "20"] : [range])).flatMap((commit) =>
    faults(commit).map((fault) => `${commit.id} ${commit.subject}: ${fault}`)
  )
  for (const line of found) console.log(line)
  process.exitCode = found.length === 0 ? 0 : 1
}
