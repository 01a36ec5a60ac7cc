/**
 * One role at work, as a process of its own: it prints what it did at the press, and answers one line of JSON.
 *
 * Arguments are the role, its task and its input. `KILL` names roles that die once, with SIGKILL, before their print or
 * after it: `critic:before,drafter:after`. Without `KEYED` its prints have no key.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"

const [, , role = "", task = "", text = "null"] = process.argv
const { FOLDER = "", KEYED = "", KILL = "", PRESS_URL = "" } = process.env
const input = JSON.parse(text)

const print = async (chapter: string, key: string): Promise<void> => {
  const init = { body: JSON.stringify({ chapter }), method: "POST" }
  await (await fetch(`${PRESS_URL}/${encodeURIComponent(KEYED === "1" ? key : "")}`, init)).json()
}

/** A kill hits a role once: the second process of the role lives. */
const mayDie = (phase: "after" | "before"): void => {
  const mark = `${FOLDER}/${role}.dead`
  if (!KILL.split(",").includes(`${role}:${phase}`) || existsSync(mark)) return
  writeFileSync(mark, "")
  process.kill(process.pid, "SIGKILL")
}

/** The chapters that are there now. Authors change them at any time. */
const shelf = (): ReadonlyArray<string> => JSON.parse(readFileSync(`${FOLDER}/shelf.json`, "utf8"))

const roles: { readonly [role: string]: () => unknown } = {
  world: () => Object.fromEntries(shelf().map((chapter) => [chapter, true])),
  printer: () => input,
  planner: () => ({ steps: Object.keys(input), assumes: input }),
  executor: () => (shelf().includes(input) ? { done: input } : { failed: `${input} is not found`, missing: input }),
  drafter: () => (input % 2 === 1 ? "a chapter in short" : "a chapter that says everything twice, and then once more"),
  critic: () => (input % 2 === 1 ? "too short" : "too long"),
  judge: () => input[0],
  leaf: () => 1,
  boss: () => input
}

mayDie("before")
const made = roles[role]?.()
await print(`${role} ${task}`, task)
mayDie("after")
console.log(JSON.stringify(made))
