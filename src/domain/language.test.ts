import { expect, test } from "vitest";
import { detectLanguage } from "./language.ts";

test.each([
  ["en", "Uploading large files > 512 MB fails"],
  ["en", "skipping: --runxfail breaks pytest.mark.skip location reporting"],
  ["en", "try_join_next for JoinSet\n\nIs there a reason why it is missing?"],
  [
    "en",
    "TypeError: Cannot read properties of undefined\n\n```\nder die das und nicht ist\n```\nIt crashes when I click save.",
  ],
  ["en", "README.md"],
  ["ru", "report overdue падает с TypeError"],
  ["ru", "Не работает вход после обновления, ошибка 500"],
  ["uk", "Після оновлення не працює вхід, з'являється помилка"],
  ["de", "Export nur für einen einzelnen Kunden"],
  ["de", "Beim Speichern der Datei kommt ein Fehler, und die Änderungen sind weg."],
  ["es", "Falla al iniciar sesión con el usuario de la empresa"],
  ["es", "No se puede guardar el archivo cuando está abierto en otra ventana"],
  ["fr", "Erreur lors de la connexion avec un compte Google"],
  ["fr", "Le bouton ne fait rien quand je clique dessus"],
  ["pt", "Não consigo salvar o arquivo quando ele está aberto"],
  ["pt", "Erro ao exportar a planilha com mais de mil linhas, não aparece mensagem"],
  ["zh", "登录失败：点击按钮没有反应"],
  ["ja", "保存ボタンを押しても反応がありません"],
  ["ko", "저장 버튼을 눌러도 반응이 없습니다"],
])("a text is taken for %s: %j", (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});
