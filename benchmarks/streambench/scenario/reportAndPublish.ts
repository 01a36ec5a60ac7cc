/** Report and publish: thirteen steps, of which three send and two publish for good. */
import * as Scenario from "./Scenario.ts"

/** The scenario. A press release could be sent as well; the plan needs none. */
export const reportAndPublish: Scenario.Scenario = {
  name: "report and publish",
  words: {
    theme: { argument: "topic", clause: "topic" },
    total: { argument: "pages", clause: "max_pages" },
    people: { argument: "authors", clause: "authors" }
  },
  steps: [
    Scenario.ask("references", "search_references", { priced: true }),
    Scenario.ask("related_work", "search_references"),
    Scenario.ask("first_paper", "read_paper", { priced: true }),
    Scenario.ask("second_paper", "read_paper"),
    Scenario.write("outline", "write_outline", ["theme"], ["references"]),
    Scenario.write("manuscript", "write_manuscript", ["theme", "total", "people"], ["first_paper", "second_paper"]),
    Scenario.write("figures", "make_figures", ["theme"], ["references"]),
    Scenario.write("revision", "revise_manuscript", ["theme", "total", "people"], ["manuscript", "related_work"]),
    {
      id: "review",
      kind: "mail",
      tool: "send_to_reviewers",
      twin: "prepare_review",
      carries: ["theme", "total", "people"],
      needs: ["revision"]
    },
    {
      id: "editor_copy",
      kind: "mail",
      tool: "send_to_editor",
      twin: "prepare_editor_copy",
      carries: ["theme", "total", "people"],
      needs: ["revision", "figures"]
    },
    {
      id: "announcement",
      kind: "mail",
      tool: "announce",
      twin: "prepare_announcement",
      carries: ["theme", "people"],
      needs: []
    },
    {
      id: "publication",
      kind: "payment",
      tool: "publish",
      twin: "stage_publication",
      carries: ["theme", "total", "people"],
      needs: ["editor_copy"]
    },
    {
      id: "submission",
      kind: "payment",
      tool: "submit",
      twin: "stage_submission",
      carries: ["theme", "total", "people"],
      needs: ["revision"]
    }
  ],
  spare: [{ tool: "send_press_release", kind: "mail", twin: "prepare_press_release" }],
  committing: ["send_to_reviewers", "send_to_editor", "publish"],
  themes: ["soil moisture", "bird migration", "river plastics", "night trains"],
  people: "Ito",
  others: ["Mbeki", "Olsen", "Reyes"],
  price: 10,
  says: {
    additive: "Name {other} as an author, too.",
    restrictive: "It must not have more than {ceiling} pages.",
    substitutive: "Write about {theme} instead.",
    cancellation: "It does not go to reviewers.",
    priority_shift: "Send it to the editor first, and to the reviewers after that."
  }
}
