/**
 * The picture of the packages and their imports, drawn from the sources.
 *
 * An arrow that follows from others is left out, or every package would point at `trace`. docs/ARCHITECTURE.md shows
 * the picture between two markers, and a rule keeps it current.
 */
import type { Finding, Repository } from "./Repository.ts"
import * as Tiers from "./Tiers.ts"

const page = "docs/ARCHITECTURE.md"
const markers = /<!-- picture -->\n([\s\S]*?)<!-- \/picture -->/

/** The imports between packages, by name, in their sources. */
export const graph = (repository: Repository): ReadonlyMap<string, ReadonlySet<string>> => {
  const edges = new Map<string, Set<string>>()
  for (const file of repository.code) {
    const from = file.home?.startsWith("packages/") === true ? label(file.home) : undefined
    if (from === undefined || file.isTest) continue
    const to = edges.get(from) ?? new Set()
    edges.set(from, to)
    for (const { specifier } of Tiers.importsOf(file)) {
      const home = Tiers.homeOf(repository, specifier)
      if (home?.startsWith("packages/") === true && label(home) !== from) to.add(label(home))
    }
  }
  return edges
}

/** Draws the graph as Mermaid, with one box per tier, without arrows that follow from others. */
export const draw = (repository: Repository): string => {
  const edges = graph(repository)
  const names = [...edges.keys()].sort((left, right) => tierOf(left) - tierOf(right) || (left < right ? -1 : 1))
  const lines = ["```mermaid", "flowchart BT"]
  for (const tier of new Set(names.map(tierOf))) {
    lines.push(`  subgraph tier${tier}["${tier === last ? "tests of ports" : `tier ${tier}`}"]`)
    for (const name of names) if (tierOf(name) === tier) lines.push(`    ${id(name)}["${name}"]`)
    lines.push("  end")
  }
  for (const name of names) {
    const direct = [...edges.get(name)!].sort()
    for (const to of direct) {
      const isImplied = direct.some((between) => between !== to && reaches(edges, between, to))
      if (!isImplied) lines.push(`  ${id(name)} --> ${id(to)}`)
    }
  }
  lines.push("```", "")
  return lines.join("\n")
}

/** Rule: the picture in docs/ARCHITECTURE.md is the one drawn from the sources. */
export function* isCurrent(repository: Repository): Generator<Finding, undefined> {
  const file = repository.files.get(page)
  const shown = file && markers.exec(file.text)
  if (file === undefined || !shown || shown[1] === draw(repository)) return undefined
  const advice = "the picture is not the one that the sources draw: replace it with the output of pnpm tidy --picture"
  yield file.find("picture", file.lineAt(shown.index), advice)
  return undefined
}

const label = (home: string): string => home.replace("packages/", "")

const id = (name: string): string => name.replaceAll(/[^a-z]/g, "_")

/** The tier for the tests of ports. */
const last = Tiers.tiers["conformance"]!.tier

const tierOf = (name: string): number => Tiers.tiers[name.split("/")[0]!]?.tier ?? last

const reaches = (edges: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean => {
  const seen = new Set<string>()
  const pending = [from]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === to) return true
    if (seen.has(next)) continue
    seen.add(next)
    pending.push(...(edges.get(next) ?? []))
  }
  return false
}
