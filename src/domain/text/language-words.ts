/** Evidence of a Latin language in a short text: its own words, and letters of its ordinary words. */
export interface LanguageWords {
  /** Words that occur in running text or issue titles of this language, and in no other listed one. */
  own: ReadonlySet<string>;
  /** Words that also are names, abbreviations or words of another language: a hint. */
  shared: ReadonlySet<string>;
  /** Letters that English words do not have. */
  letters: RegExp | null;
}

function words(own: string, shared: string, letters: RegExp | null): LanguageWords {
  return { own: new Set(own.split(" ")), shared: new Set(shared.split(" ")), letters };
}

/** The Latin languages that can be detected. */
export const LATIN_WORDS = {
  en: words(
    "the is are was were of to and that this with for on when if not but be have has should would could can't cannot does doesn't don't didn't isn't won't we you from there which after before while because instead without into about than then only still any every via add adds fix fixes missing wrong broken fails failing failed crash crashes support supports make allow use using drop remove rename update handle please how why what it's its i'm been being get gets got set sets show shows returns returned throws throw breaks break leak timeout unable unexpected incorrect invalid ignored slow image button page file files name names value values when where startup loop request response user users",
    "a in it as at an by do or so no on me all will was one test error problem",
    null,
  ),
  de: words(
    "der das und nicht ist eine einen einem einer eines mit für auf wenn ich wir wird werden wurde beim nach von zu dem sind auch aber nur bei sollte sollten kann können könnte im keine kein keinen dass daß noch nichts über aus statt ohne sich oder mehr sehr immer nur würde bitte gibt geht läuft lässt funktioniert fehlt fehlen fehler datei dateien absturz stürzt anmeldung speichern speicherleck hinzufügen ändern löschen öffnen falsch falsche falscher falsches veraltet tippfehler benutzer nutzer kunden rechnung übersicht starten startet hängen bleibt zeigt erscheint angezeigt unterstützen befehl bericht schlagen fehl kommt passiert klick klicke klicken kennwort passwort dunkles dunkler dunklen unter zum zur vom einstellungen schaltfläche seite schön wäre gerne langsam langsame langsamer langsames",
    "sobald kommen die des den ein es man war so an in am was hat wie da export alle kommen sobald man",
    /[äöüß]/u,
  ),
  es: words(
    "el los las y está están del para por cuando en lo pero como debería son más esto esta este hay sí después al muy una unos sin también desde hasta nada todo si quiero puede puedo pueden poder me se le les fue archivo archivos usuario usuarios contraseña correo inicio iniciar sesión añadir agregar quitar eliminar guardar pulsar aparece subir bajar falla fallo fallan funciona cierra pierden errata fuga falta resumen pedidos lenta lento informe fecha incorrecta desactualizada ventana botón modo oscuro oscura colgado queda arranca varias cambiar actualizar exportación documentación aplicación",
    "filtro estado permitir imprimir con la de que no es un error lista final normal local total",
    /[ñáíóú]/u,
  ),
  fr: words(
    "les et des pas est une avec dans quand je nous il elle sur du au aux mais lorsque lors cette ces devrait sont être qui sans ne plus très après avant pour ou où peut peut-on j'ai c'est n'est n'y d'un d'une qu'il ça rien tout tous toutes quelque merci démarrage démarrer démarre ajouter ajoutez ajout supprimer enregistrer erreur fichier fichiers plantage plante connexion fonctionne échouent échoue affiche clique bouton mauvaise mauvais manquant manquante obsolète fuite mémoire faute frappe mot passe oublié courriel utilisateur utilisateurs mise jour perd perdus devient reste bloqué passent rapport lente lent beaucoup commandes commande numéro facture récapitulatif sombre page plusieurs aimerais aucun prise charge prendre permettre changer impossible pouvoir filtrer",
    "le la de que un en on me se si son par plan date image service mode export",
    /[çœêèàùîôû]|(?:é|ée|és|ées)\b/u,
  ),
  pt: words(
    "o as em não um uma com para por ao do da no na nos nas mas deveria são mais isso está estão ser quero fica ficar quando depois muito muita também pelo pela dos das às à há foi você dá sem nada tudo vira arquivo arquivos usuário usuários senha adicionar remover excluir salvar iniciar inicia clicar aparece enviar erro erros fecha quebra perdidos vazamento digitação falham falha travado errada errado relatório lenta lento pedidos desatualizada fatura resumo esqueci chega gostaria vários escuro modo várias tarefas exportação documentação aplicativo serviço botão tela",
    "filtro estado status permitir imprimir e os de que se a me final normal total local",
    /[ãõáíóúâê]/u,
  ),
  it: words(
    "il gli di che non è una per quando al del della dello delle dei degli mi ma dovrebbe sono senza più questo questa nella nel nello nei sul sulla dopo prima anche dal dalla da si file errore accesso aggiornamento avvio chiude funziona succede nulla clicco salva perdono servizio parte ieri aggiungere manca mancante utente utenti pulsante pagina salvare vorrei essere viene vengono impossibile accedere errata errato",
    "con la lo le un in no se a e come",
    /[ìò]|(?:tà|ità|ché|iù)\b/u,
  ),
  pl: words(
    "nie jest się na w z że do jak po przy gdy ale powinno są dla jest tylko nadal jeśli już brak błąd błędy podczas pliku plik przez oraz może można być działa działają zamyka zapisz kliknięciu dzieje numeru faktury starcie logowanie aktualizacji dodać aplikacja użytkownik użytkownika użytkowników hasło przycisk strona zapisać",
    "to i o a co od tak ten za",
    /[ąęłśźżćń]/u,
  ),
  nl: words(
    "het een niet voor als ik wij wordt worden bij naar dat zijn ook maar zou kan geen deze wanneer uit nog moet gaat werkt bestand bestanden facturen dubbel verstuurd foutmelding toevoegen gebruiker gebruikers wachtwoord knop opslaan inloggen ontbreekt verwijderen",
    "de en is van met op of aan te over me dan fout",
    null,
  ),
} as const satisfies Record<string, LanguageWords>;
