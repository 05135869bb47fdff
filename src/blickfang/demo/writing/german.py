"""What the demo web's German sites say: lighthouses of the coast, and a village's notices."""

LEUCHTTUERME = """
= topic lighthouses
= motif lighthouse
= language de
= rows name place sea
Westerhörn | Hörnum-West | das Wattenmeer
Große Düne | Dünenhafen | die Außenjade
Rotsand-Mole | Rotsand | die Deutsche Bucht
Süderoog-Feuer | Süderoog | die Halligen
Möwenort | Möwenhagen | die Kieler Förde
Kap Brüsen | Brüsenort | die Pommersche Bucht
Alte Weserbake | Weserdeich | die Wesermündung
Fährhuk | Fährdorf | die Elbmündung
Steinriff | Steinriff-Hafen | den Fehmarnsund
Nebelhörn | Nebelstrand | die Nordsee
Schlickgatt | Schlicksiel | die Eidermündung
Dornbüttel | Dornbüttel | die Ostsee
Hohes Ufer | Uferende | das Fischland
Prerower Bake | Prerow-Ort | den Bodden
Eisbrecherfeuer | Eiswarden | das Fahrwasser
Silberhuk | Silbersiel | den Jadebusen
= trait year 1811..1931
= trait height 12..58
= trait range 9..27
= trait steps 81..243
= trait colours rot und weiß | schwarz und weiß | weiß | rot | grün und weiß | grau und rot
= trait pattern Ringe | Ringe | Streifen | glatt
= trait stone Backstein | Gusseisen | Granit | Klinker | Beton
= trait character ein Blitz alle fünf Sekunden | zwei Blitze alle zehn Sekunden
  | ein weißes Festfeuer mit roten Sektoren | ein Gleichtaktfeuer von acht Sekunden
  | drei Blinke alle zwanzig Sekunden
= trait engineer Baurat Hagen | Ludwig Petersen | Oberinspektor Thießen | die Gebrüder Möller
= trait keeper Hinrich Claußen | Fiete Jürgens | Elisabeth Brodersen | die Familie Lührs
= trait automated 1964..1999
= view hour bei Nacht | am Tag | in der Dämmerung | bei Nebel | am frühen Morgen
= view angle von der Seeseite | vom Deich aus | vom Strand her | über der Brandung
= word weather Nebel | Sturmflut | Schneetreiben | schwere See | Eisgang | dicker Dunst
= word vessel Kutter | Frachter | Schlepper | Küstenmotorschiff | Segler | Lotsenboot
= word danger Sandbank | Untiefe | Klippe | Fahrrinne | Strömung
= word part Laternenhaus | Linse | Galerie | Treppenhaus | Drehwerk | Nebelhorn
= section facts [Der Turm|Kurz und knapp|Daten und Bauweise]
Der Leuchtturm {name} steht bei {place} und weist den Schiffen den Weg durch {sea}.
Der Turm aus {stone} ist {height} Meter hoch und {colours} gestrichen.
Seine Kennung: {character}; die Tragweite beträgt {range} Seemeilen.
Seit dem Jahr {year} brennt das Feuer, zuerst mit Rüböl, später mit Petroleum und heute elektrisch.
Bis zur Galerie führen {steps} Stufen, und oben pfeift fast immer der Wind.
Als Tagesmarke dient der Anstrich in {colours}; so erkennt ihn jeder Steuermann schon von weitem.
Das Licht bündelt eine Gürtellinse nach Fresnel, die in Paris geschliffen wurde.
Vor der Küste liegt eine gefährliche Untiefe, vor der ein roter Sektor warnt.
Anders als {other} besitzt er noch das alte Uhrwerk mit dem schweren Gewicht.
Bei klarer Sicht reicht der Lichtstrahl {range} Seemeilen weit über {sea} hinaus.
In den Seekarten steht der Turm mit seiner Kennung, {character}, und der Höhe des Feuers.
Das Laternenhaus besitzt noch das alte Kupferdach mit der Wetterfahne.
= section history [Geschichte|Wie das Feuer nach {place} kam|Bau und Betrieb]
Vorher brannte auf der Düne nur ein offenes Kohlenfeuer, das im Regen oft erlosch.
Nachdem im Herbst ein Schoner gestrandet war, forderten die Kaufleute einen Leuchtturm.
{engineer} zeichnete die Pläne, und die Steine kamen mit Prähmen über das Watt.
Im Jahr {year} wurde die Lampe zum ersten Mal angezündet; das halbe Dorf stand auf dem Deich.
Im Krieg blieb das Feuer gelöscht, und der Turm bekam einen grauen Tarnanstrich.
Seit {automated} wird die Anlage ferngesteuert, ein Leuchtturmwärter wohnt hier nicht mehr.
Die alte Linse steht heute im Schifffahrtsmuseum und funkelt dort in der Sonne.
[Zweimal|Mehrmals] drückte eine [Sturmflut|Sturmböe|schwere See] die Scheiben der Laterne ein.
Für die Gründung rammte man lange Eichenpfähle in den Schlick.
= section people [Die Wärter|Leben auf dem Turm|Allein mit dem Licht]
{keeper} versah den Dienst über zwanzig Jahre lang und verschlief keine einzige Wache.
Jeden Abend wurden die Dochte beschnitten, die Messingteile geputzt und das Drehwerk aufgezogen.
Brot, Kohlen und Briefe kamen mit dem Boot, wenn die See es zuließ.
Im Wachbuch steht: Wind West, Feuer brennt klar, ein {vessel} läuft ein.
Die Kinder des Wärters zählten vor dem Einschlafen die Blitze an der Wand.
Im Winter saß die Familie wochenlang fest und lebte von Stockfisch und Zwieback.
Als ein {vessel} auf Grund lief, ruderte {keeper} hinaus und rettete sieben Menschen.
Der Wärter musste lesen, schreiben und rechnen können und durfte die Einsamkeit nicht fürchten.
Hinter der Mauer wuchsen Kartoffeln und Grünkohl, denn dorthin reichte die Gischt nicht.
Zu Weihnachten brachte der Lotse eine Gans und die Zeitungen eines ganzen Monats.
= section visit [Besuch|Unterwegs zum Turm|Ein Tag bei {place}]
Wir gingen bei Ebbe am Strand entlang, bis der Turm {colours} hinter den Dünen auftauchte.
Die Tür stand offen, und eine ältere Dame vom Förderverein führte uns die {steps} Stufen hinauf.
Von der Galerie reicht der Blick über {sea} und an klaren Tagen bis zum Turm {other}.
Wer oben heiraten möchte, muss sich ein Jahr vorher beim Standesamt anmelden.
Nachts streicht der Lichtstrahl über die Ferienhäuser, und die Möwen schweigen.
Nehmen Sie eine Jacke mit, denn auf dem Umgang ist es selbst im August kühl.
Im ehemaligen Ölkeller gibt es Tee mit Kluntjes und frischen Butterkuchen.
Fotografiert habe ich den Leuchtturm {hour}, da leuchten die Farben am schönsten.
Der letzte Bus nach {place} ist voller Wanderer mit nassen Stiefeln.
Auf der Galerie hält man zuerst das Geländer fest und dann die Mütze.
Wir blieben, bis das Feuer anging, und zählten die Blitze vom Deich aus.
= captions
Der Leuchtturm {name} {hour}, {angle}
Leuchtturm {name} bei {place}, {colours}, {height} Meter hoch
{name} {hour} {angle}
Das Leuchtfeuer {name} {hour}
= blurbs
{colours}, {height} Meter hoch, seit {year} in Betrieb; Kennung: {character}.
Turm aus {stone} bei {place}, erbaut von {engineer}.
= articles
Wie man ein Leuchtfeuer erkennt | facts history
Die letzten Leuchtturmwärter | people history
Mit dem Rad von Turm zu Turm | visit facts
"""

GEMEINDE = """
= topic noise:gemeinde
= motif townhall
= language de
= rows name street
Straßensperrung Mühlenweg | Mühlenweg
Haushaltssatzung | Rathausplatz
Grünschnittannahme | Am Bauhof
Freibad Öffnungszeiten | Badstraße
Neubau der Kindertagesstätte | Schulgasse
Winterdienst und Räumpflicht | Hauptstraße
Seniorennachmittag | Kirchplatz
Fundsachen | Rathausplatz
Bebauungsplan Südhang | Südhang
Wasserzähler ablesen | Brunnenweg
Vereinsförderung | Marktstraße
Wahlhelfer gesucht | Schulgasse
= trait day Montag | Dienstag | Mittwoch | Donnerstag | Freitag
= trait amount 1200..98000
= trait clerk Frau Übelacker | Herr Großmann | Frau Weißgerber | Herr Bäumler
= trait hour 8..17
= view sight am Marktplatz | vor dem Umbau | im Sommer | nach der Renovierung
= word body Gemeinderat | Bauausschuss | Bürgermeister | Ordnungsamt | Bauhof
= section notice [Bekanntmachung|Amtliche Mitteilung|Aus dem Rathaus]
Der {body} hat in seiner Sitzung am {day} über das Thema {name} beraten.
Die Unterlagen liegen im Rathaus, Zimmer {hour}, zu den üblichen Öffnungszeiten aus.
Für die Maßnahme in der Straße {street} sind {amount} Euro im Haushalt vorgesehen.
Anlieger werden gebeten, ihre Fahrzeuge rechtzeitig umzustellen.
Ansprechpartner ist {clerk}; Anträge sind schriftlich und fristgerecht einzureichen.
Der Beschluss wurde einstimmig gefasst, zwei Mitglieder fehlten entschuldigt.
Gebühren werden nach der geltenden Satzung erhoben und per Bescheid festgesetzt.
Das Formular erhalten Sie im Bürgerbüro oder auf Anfrage per Post.
= section order [Was zu beachten ist|Hinweise|Fristen]
Widerspruch kann innerhalb eines Monats beim {body} eingelegt werden.
Die Müllabfuhr verschiebt sich wegen des Feiertags auf {day}.
Hunde sind auf Spielplätzen und in der Nähe der Schule an der Leine zu führen.
Bitte geben Sie bei Rückfragen stets das Aktenzeichen an.
Gehwege sind von den Anliegern bis {hour} Uhr zu räumen und zu streuen.
Die Sprechstunde ({clerk}) findet künftig am {day} statt.
Sperrmüll muss angemeldet werden; je Haushalt ist eine Abholung im Jahr kostenlos.
Der {body} dankt allen Bürgerinnen und Bürgern für ihr Verständnis.
= captions
Das Rathaus {sight}
Rathaus und {street} {sight}
Aushang zum Thema {name}
= blurbs
{clerk} gibt Auskunft, {day} bis {hour} Uhr.
Betrifft die Straße {street}; Kosten {amount} Euro.
= articles
Amtsblatt | notice order
"""
