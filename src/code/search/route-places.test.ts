import { afterAll, beforeAll, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import { readForSearch } from "../../domain/issue-text/issue-reading.ts";
import { searchTerms } from "./query.ts";
import { locate } from "./rank-files.ts";

const FILES: Record<string, string> = {
  "web/routes.ts":
    'import { Router } from "express";\nimport { isKeeper } from "./guard.js";\nimport * as hives from "./hives.js";\n\nexport const routes = Router();\nroutes.get("/hives/:id", hives.show);\nroutes.post("/hives/:id/smoke", isKeeper, hives.smoke);\n',
  "web/guard.ts": "export function isKeeper(request, response, next) {\n  next();\n}\n",
  "web/hives.ts":
    'import { findHive } from "../bees/find.js";\nimport { calm } from "../bees/calm.js";\n\nexport function show(request, response) {\n  response.json(findHive(request.params.id));\n}\n\nexport async function smoke(request, response) {\n  const hive = findHive(request.params.id);\n  await calm(hive);\n  response.json(findHive(hive.id));\n}\n',
  "bees/find.ts": "export function findHive(id) {\n  return { id };\n}\n",
  "bees/calm.ts": "export async function calm(hive) {\n  hive.mood = 'calm';\n  return hive;\n}\n",
  "shop/server.js":
    'const app = require("express")();\napp.use("/api/jars", require("./jars"));\napp.use("/api/lids", require("./lids"));\n',
  "shop/jars.js":
    'const router = require("express").Router();\nconst { seal } = require("./wax");\n\nrouter.put("/:id/seal", async (request, response) => {\n  response.json(await seal(request.params.id));\n});\n\nmodule.exports = router;\n',
  "shop/lids.js":
    'const router = require("express").Router();\nrouter.put("/:id/seal", (request, response) => response.json({}));\nmodule.exports = router;\n',
  "shop/wax.js": "async function seal(id) {\n  return { id, isSealed: true };\n}\n\nmodule.exports = { seal };\n",
  "java/FrameController.java":
    'import java.Keeper;\n\n@RequestMapping("/frames")\nclass FrameController {\n  private final Keeper keeper;\n\n  @PostMapping("/{id}/swap")\n  Frame swap(long id) {\n    return keeper.exchange(id);\n  }\n}\n',
  "java/Keeper.java": "class Keeper {\n  Frame exchange(long id) {\n    return new Frame(id);\n  }\n}\n",
  "config/routes.rb":
    'Rails.application.routes.draw do\n  post "/queens/:id/mark", to: "queens#mark", as: "mark_queen"\nend\n',
  "app/controllers/queens_controller.rb":
    "class QueensController\n  def mark\n    queen = Queen.find(params[:id])\n    render json: PaintDot.new(queen).call(params[:colour])\n  end\nend\n",
  "app/services/paint_dot.rb": "class PaintDot\n  def call(colour)\n    @queen.update!(colour: colour)\n  end\nend\n",
  "app/services/count_mites.rb": "class CountMites\n  def call(frame)\n    frame.mites\n  end\nend\n",
  "urls.py":
    'from views import harvest\n\nurlpatterns = [\n    path("honey/<int:pk>/harvest/", harvest, name="harvest-honey"),\n]\n',
  "views.py": "from press import squeeze\n\n\ndef harvest(request, pk):\n    return squeeze(pk)\n",
  "press.py": "def squeeze(pk):\n    return pk * 2\n",
};

let repository: IndexedRepository;

beforeAll(async () => {
  repository = await indexedRepository([
    { files: Object.entries(FILES).map(([path, content]) => ({ path, content })) },
  ]);
});

afterAll(async () => await repository.remove());

/** The places that handle a route, the best file first. */
async function handling(body: string): Promise<string[]> {
  const terms = searchTerms(readForSearch({ title: "Odd", body, labels: [] }));
  const located = await locate(repository.index, terms);
  const found = located.filter(({ reasons }) => reasons.some(({ kind }) => kind === "handles"));
  return found.map(({ path, lines }) => `${path}:${lines[0]?.line ?? ""}`);
}

test("a route leads to its handler where that does the work, to the function that does it, and to the router", async () => {
  expect(await handling("POST /hives/7/smoke does nothing.")).toEqual([
    "web/hives.ts:10",
    "web/routes.ts:7",
    "bees/calm.ts:2",
  ]);
  expect(await handling("POST /queens/7/mark takes any colour.")).toEqual([
    "app/controllers/queens_controller.rb:4",
    "app/services/paint_dot.rb:3",
    "config/routes.rb:2",
  ]);
  expect(await handling("POST /honey/7/harvest/ is slow.")).toEqual(["views.py:5", "urls.py:4", "press.py:1"]);
});

test("a route is known where its beginning stands above it or where its router is mounted", async () => {
  expect(await handling("POST /frames/7/swap fails.")).toEqual(["java/FrameController.java:9", "java/Keeper.java:3"]);
  expect(await handling("PUT /api/jars/7/seal fails.")).toEqual(["shop/jars.js:4", "shop/wax.js:2"]);
});

test("a router without a handler that is known is the place itself", async () => {
  expect(await handling("PUT /api/lids/7/seal fails.")).toEqual(["shop/lids.js:2"]);
});
