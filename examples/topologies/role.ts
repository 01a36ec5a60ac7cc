/**
 * One role at work, as a process of its own: it prints what it did at the press, and answers one line of JSON.
 *
 * Arguments are the role, its task and its input. `KILL` names roles that die once, with SIGKILL, before their print,
 * after it, or after their answer: `critic:before,drafter:answered`. Without `KEYED` its prints have no key.
 */
import { readFileSync, writeFileSync } from "node:fs"

const [, , role = "", task = "", text = "null"] = process.argv
const { FOLDER = "", KEYED = "", KILL = "", PRESS_URL = "" } = process.env
const input = JSON.parse(text)

const print = async (chapter: string, key: string): Promise<unknown> => {
  const init = { body: JSON.stringify({ chapter }), method: "POST" }
  return (await fetch(`${PRESS_URL}/${encodeURIComponent(KEYED === "1" ? key : "")}`, init)).json()
}

/** A kill hits a role once: the second process of the role lives. */
const mayDie = (phase: "after" | "answered" | "before"): void => {
  const mark = `${FOLDER}/${role}.dead`
  if (!KILL.split(",").includes(`${role}:${phase}`)) return
  try {
    writeFileSync(mark, "", { flag: "wx" })
  } catch {
    return
  }
  process.kill(process.pid, "SIGKILL")
}

/** The chapters that are there now. Authors change them at any time. */
const shelf = (): ReadonlyArray<string> => JSON.parse(readFileSync(`${FOLDER}/shelf.json`, "utf8"))

/** A stage of the pipeline that adds its name to what it is given. */
const stage = () => `${input.input} (${role})`

const roles: { readonly [role: string]: () => unknown } = {
  editor: () => ["one", "two"],
  worker: () => ({ chapter: input }),
  collect: stage,
  cite: () => `${input.input}, see chapter ${input.sentBack > 0 ? "two" : "nine"}`,
  write: stage,
  edit: stage,
  reviewer: () => !input.includes("chapter nine"),
  world: () => Object.fromEntries(shelf().map((chapter) => [chapter, true])),
  planner: () => ({ steps: Object.keys(input), assumes: input }),
  executor: () => (shelf().includes(input) ? { done: input } : { failed: `${input} is not found`, missing: input }),
  drafter: () => (input % 2 === 1 ? "a chapter in short" : "a chapter that says everything twice, and then once more"),
  critic: () => (input % 2 === 1 ? "too short" : "too long"),
  judge: () => input[0],
  leaf: () => 1,
  boss: () => input
}

mayDie("before")
// A tool prints a chapter, and answers its receipt; every other role prints that it has worked.
const made = roles[role]?.()
const receipt = made === undefined ? await print(input, task) : await print(`${role} ${task}`, `${role} ${task}`)
mayDie("after")
console.log(JSON.stringify(made ?? receipt))
mayDie("answered")
