"""What the demo web's off-topic pastime sites say: a kitchen and a chess club."""

COOKERY = """
= topic noise:cookery
= motif plate
= language en
= rows name main
Leek and Potato Pie | leeks
Sunday Lentils | lentils
Lemon Barley Chicken | chicken
Tomato Bread Soup | tomatoes
Beetroot Dumplings | beetroot
Cider Sausages | sausages
Plum Crumble | plums
Carrot Fritters | carrots
Cheese Scones | cheddar
Mushroom Barley Soup | chestnut mushrooms
Bean Stew with Sage | white beans
Apple Batter Pudding | apples
Fish Cakes | smoked haddock
Red Cabbage | red cabbage
Pea Risotto | peas
Walnut Loaf | walnuts
= trait serves 2..8
= trait minutes 20..95
= trait grams 150..900
= trait herb thyme | parsley | sage | dill | bay leaf | tarragon
= trait fat butter | olive oil | lard | rapeseed oil
= trait colours golden | red | green | brown | cream | purple
= view dish on a blue plate | on the kitchen table | straight from the oven | on a white plate
= word pan saucepan | casserole | frying pan | roasting tin | mixing bowl
= word stir stir | whisk | fold | season | simmer
= section method [Method|What to do|Cooking it]
Chop the onions finely and soften them in {fat} over a low heat in a {pan}.
Add {grams} grams of {main}, the {herb} and enough stock to cover everything.
Bring to the boil, then simmer for {minutes} minutes with the lid half on.
Season with salt, pepper and a squeeze of lemon, and taste again.
Preheat the oven to one hundred and eighty degrees and butter a {pan}.
{stir} until the sauce coats the back of a spoon.
Leave it to rest for ten minutes, then serve with bread and a green salad.
Drain the {main}, keep the cooking water, and return both to the {pan}.
Sprinkle with breadcrumbs and bake until golden on top.
= section notes [Notes|From our kitchen|Variations]
{name} serves {serves} and keeps for two days in the refrigerator.
My grandmother made it with {fat} and never measured the flour.
If you have no {herb}, a little nutmeg does as well.
Leftovers make an excellent lunch, fried in {fat} until crisp.
The recipe doubles easily; use the larger {pan}.
Children like it without pepper and with a spoonful of cream.
Buy {main} from the market on Saturday, when they are cheapest.
Next week we cook {other}, so save the vegetable stock.
= captions
{name} {dish}
A helping of {name} {dish}
{name} with {herb}
= blurbs
{main} with {herb}; serves {serves}, ready in {minutes} minutes.
A simple supper of {main} and {fat}.
= articles
Stocks and sauces | method notes
Baking for beginners | notes method
"""

CHESS = """
= topic noise:chess
= motif chessboard
= language en
= rows name white
Autumn Open, round one | Halvorsen
Autumn Open, round two | Petrova
Autumn Open, round three | Okafor
Club championship final | Lindqvist
Simultaneous display | Master Rao
County match against Harrow | Benedek
Junior cup semi-final | Yusuf
Blitz evening | Castellano
Correspondence game | Abernathy
Thematic Sicilian night | Duarte
Rapidplay in the library | Kowalski
Endgame study of the month | Novak
Veterans' trophy | Ferreira
Christmas handicap | Thackeray
= trait black Moreau | Ivanchik | Sanderson | Takeda | O'Hara | Weiss
= trait opening Sicilian Defence | Queen's Gambit | Caro-Kann | Ruy Lopez | English Opening
  | King's Indian
= trait moves 21..77
= trait result White won | Black won | drawn by repetition | drawn
= trait board 1..12
= view moment after move twelve | before the sacrifice | in the endgame | at the time control
= word piece knight | bishop | rook | queen | pawn | king
= word square on e5 | on the seventh rank | on the long diagonal | on the h-file | in the centre
= section game [The game|Annotations|How it went]
{white} opened with the {opening}, and {black} answered without much thought.
By move twelve a {piece} stood {square} and the pawn structure was fixed.
{black} sacrificed the exchange for a {piece} and two pawns.
The critical moment came when the {piece} landed {square} with check.
In time trouble White missed a mate in three and had to trade queens.
The endgame with {piece} against {piece} lasted until move {moves}; {result}.
Castling long looked bold, yet the king was safer there than it seemed.
Stockfish, consulted afterwards, preferred the quiet retreat of the {piece}.
= section club [Club news|From the secretary|Around the boards]
The club meets on Thursdays in the reading room; beginners are welcome.
Board {board} was the last to finish, long after the tea urn had gone cold.
Ratings will be sent to the federation at the end of the month.
Members are asked to bring clocks and to pay the entry fee before round one.
The junior squad practises tactics: forks, pins, skewers and discovered checks.
A pairing list for {other} hangs beside the door.
Our librarian has bought three books on the {opening}.
Blitz games are played with three minutes and two seconds a move.
= captions
{white} against {black}, position {moment}
Diagram: {opening}, {moment}
The board {moment}
= blurbs
{white} v {black}, {opening}, {moves} moves, {result}.
Board {board}: {result}.
= articles
Rules for the club ladder | club game
"""
