"""The words every site repeats: menus, labels, about and privacy pages, in both languages."""

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "home": "Home", "all": "All entries", "page": "page", "articles": "Articles",
        "about": "About us", "contact": "Contact", "privacy": "Privacy", "next": "Next",
        "previous": "Previous", "latest": "Latest entries", "more": "click here",
        "friends": "Friends and neighbours",
        "cookie": "This site uses cookies. By reading on you agree.",
        "rights": "All rights reserved. Printed on recycled electrons.",
        "search": "Search this site", "login": "Log in", "up": "Back to top",
        "year": "First lit", "height": "Height in metres", "colours": "Colours",
        "character": "Character", "range": "Range in miles", "latin": "Latin name", "cap": "Cap",
        "gills": "Gills", "spore": "Spore print", "season": "Season", "verdict": "Edibility",
        "form": "Form", "sail": "Sail", "spars": "Spars", "span": "Span in cm",
        "line": "Line in metres",
    },
    "de": {
        "home": "Startseite", "all": "Alle Einträge", "page": "Seite", "articles": "Beiträge",
        "about": "Über uns", "contact": "Impressum", "privacy": "Datenschutz", "next": "Weiter",
        "previous": "Zurück", "latest": "Neueste Einträge", "more": "mehr",
        "friends": "Freunde und Nachbarn",
        "cookie": "Diese Seite verwendet Cookies. Mit dem Weiterlesen stimmen Sie zu.",
        "rights": "Alle Rechte vorbehalten. Angaben ohne Gewähr.",
        "search": "Suche", "login": "Anmelden", "up": "Nach oben",
        "year": "Baujahr", "height": "Höhe in Metern", "colours": "Farben", "character": "Kennung",
    },
}  # fmt: skip

BOILERPLATE: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "about": (
            "{site} is run by a few people in their spare time. {motto}",
            "We answer letters on weekends. Corrections are welcome and are usually made within a"
            " fortnight; please tell us which page you mean.",
            "Unless a page says otherwise, words and pictures are our own.",
        ),
        "contact": (
            "Write to the editors of {site}, Post Office Box 112, or use the form below.",
            "We do not accept guest posts, link exchanges or advertisements of any kind.",
            "The telephone is answered on weekday mornings, most of the time.",
        ),
        "privacy": (
            "This privacy notice explains which personal data {site} processes and for how long.",
            "Our server keeps a log of requests for seven days in order to find faults. The log"
            " holds the address, the time and the page that was asked for.",
            "You have the right to access, rectification and erasure of your data, and you may"
            " lodge a complaint with the supervisory authority.",
        ),
    },
    "de": {
        "about": (
            "{site} wird von wenigen Leuten in ihrer Freizeit betreut. {motto}",
            "Zuschriften beantworten wir am Wochenende. Hinweise auf Fehler sind willkommen; bitte"
            " nennen Sie die Seite, um die es geht.",
            "Texte und Bilder stammen, wenn nicht anders angegeben, von uns selbst.",
        ),
        "contact": (
            "Angaben gemäß Telemediengesetz: {site}, Postfach 112.",
            "Für Inhalte verlinkter Seiten sind ausschließlich deren Betreiber verantwortlich.",
            "Das Telefon ist werktags am Vormittag meistens besetzt.",
        ),
        "privacy": (
            "Diese Datenschutzerklärung beschreibt, welche personenbezogenen Daten"
            " {site} verarbeitet.",
            "Der Server speichert Zugriffe sieben Tage lang, um Störungen zu erkennen. Gespeichert"
            " werden Adresse, Zeitpunkt und die abgerufene Seite.",
            "Sie haben das Recht auf Auskunft, Berichtigung und Löschung Ihrer Daten sowie auf"
            " Beschwerde bei der Aufsichtsbehörde.",
        ),
    },
}  # fmt: skip
